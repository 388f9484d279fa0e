import { COUNTS, type SimulatedCampaign } from './campaigns.ts';
import type { Dataset } from './dataset.ts';

/** Days, as YYYY-MM-DD, whose campaigns the service changes once the story begins. */
export type Story = {
  /** The counts of the first three campaigns are corrected. */
  readonly corrected: { readonly account: string; readonly day: string };
  /** Only a third of the campaigns are still listed. */
  readonly thinned: { readonly account: string; readonly day: string };
};

/** Adds a twelfth to each count, as late reports do. Rounded down, the counts keep their bounds. */
const correct = (campaign: SimulatedCampaign): SimulatedCampaign => ({
  ...campaign,
  ...Object.fromEntries(COUNTS.map((count) => [count, Math.floor((campaign[count] * 13) / 12)])),
});

/** The data set, with the story once `begin` is called. The story doesn't change ranges of several days. */
export function withStory(dataset: Dataset, { corrected, thinned }: Story) {
  let begun = false;
  const changing: Dataset = {
    ...dataset,
    campaigns(account, from, to) {
      const campaigns = dataset.campaigns(account, from, to);
      const isOn = (window: Story[keyof Story]) =>
        begun && from.equals(to) && window.account === account && from.toString() === window.day;
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
