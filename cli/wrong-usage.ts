/** The command was typed wrongly: exit status 2. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}
