import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';

export function changing() {
  const dataset = generateDataset();
  const changes = {
    campaigns: (list: ReturnType<Dataset['campaigns']>, _account: string, _day: string) => list,
    clients: (list: ReturnType<Dataset['clients']>) => list,
    accounts: dataset.accounts,
  };
  const changed: Dataset = {
    ...dataset,
    campaigns: (account, from, to) =>
      changes.campaigns(dataset.campaigns(account, from, to), account, from.toString()),
    clients: (account) => changes.clients(dataset.clients(account)),
  };
  return { changes, dataset: changed };
}
