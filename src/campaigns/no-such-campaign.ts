/** The campaign does not exist, or was started already. */
export class NoSuchCampaign extends Error {
  override readonly name = 'NoSuchCampaign';
}
