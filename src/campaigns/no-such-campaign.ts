/** The campaign is not there, or was started already. */
export class NoSuchCampaign extends Error {
  override readonly name = 'NoSuchCampaign';
}
