// A setting is missing or malformed: one line, which begins with its name.
export class SettingsError extends Error {
  override name = 'SettingsError';
}
