import type * as db from './db/database.ts';
import type { Legacy } from './legacy.ts';

export type Queries = db.Queries & Legacy;
export type Transaction = db.Transaction & Legacy;
export type Warehouse = db.Warehouse & Legacy;
