import { COUNTS, type SimulatedCampaign } from './campaigns.ts';
import type { Dataset } from './dataset.ts';

/** What the service says otherwise from some moment on: an account on a day, as YYYY-MM-DD. */
export type Story = {
  /** The counts of its first three campaigns are corrected. */
  readonly corrected: { readonly account: string; readonly day: string };
  /** Only a third of its campaigns are listed any more. */
  readonly thinned: { readonly account: string; readonly day: string };
};

/** Late reports: each count grows by a twelfth, rounded down, so that their sums stay within bounds. */
const correct = (campaign: SimulatedCampaign): SimulatedCampaign => ({
  ...campaign,
  ...Object.fromEntries(COUNTS.map((count) => [count, Math.floor((campaign[count] * 13) / 12)])),
});

/** The data set as it is until `begin`, and with the story from then on. Ranges of several days stay as they are. */
export function withStory(dataset: Dataset, { corrected, thinned }: Story) {
  let begun = false;
  const changing: Dataset = {
    ...dataset,
    campaigns(account, from, to) {
      const campaigns = dataset.campaigns(account, from, to);
      const isOn = (place: Story[keyof Story]) =>
        begun && from.equals(to) && place.account === account && from.toString() === place.day;
      if (isOn(corrected)) return campaigns.map((each, index) => (index < 3 ? correct(each) : each));
      return isOn(thinned) ? campaigns.slice(0, Math.floor(campaigns.length / 3)) : campaigns;
    },
  };
  return {
    dataset: changing,
    begin() {
      begun = true;
    },
  };
}
