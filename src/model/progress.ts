/** How far a long piece of work has come. */
export type Progress = {
  readonly total: number;
  readonly done: number;
  /** Of those that are done: how many failed. */
  readonly failed: number;
};

export type OnProgress = (progress: Progress) => void;
