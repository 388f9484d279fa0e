/** The tables of the hand-written loaders and of the COPY floor, made before anything is measured. */
export const createTables = `
  create table clients (
    client_id bigint primary key,
    name text,
    checksum text,
    balance numeric
  );
  create table campaign_days (
    day date,
    callset_id bigint,
    campaign text,
    attempts bigint,
    busies bigint,
    connects bigint,
    live_answers bigint,
    primary key (day, callset_id)
  );
`;
