// Startup of every process: it finds the database (default: embedded) and the secret, then checks every setting.
import { dataDirectory, environment, mayMakeSecret, SettingsError } from '#lib/settings/environment.ts';
import { loadSettings, MAKE_SECRET, type Settings } from '#lib/settings/settings.ts';

export type Started = { settings: Settings; stop: () => Promise<void> };

export async function start(overrides: Record<string, string> = {}): Promise<Started> {
  const env: Record<string, string | undefined> = { ...environment(), ...overrides };
  if (env['DATABASE_URL']) return { settings: loadSettings(env), stop: async () => {} };
  if (!env['GATEHOUSE_SECRET'] && !mayMakeSecret(env)) {
    throw new SettingsError(
      `GATEHOUSE_SECRET is missing: in production behind a public address it must be set. ${MAKE_SECRET}`,
    );
  }
  const { ensureEmbeddedDatabase, ensureLocalSecret } = await import('./embedded.ts');
  const dataDir = dataDirectory(env);
  const embedded = await ensureEmbeddedDatabase(dataDir);
  try {
    const secret = env['GATEHOUSE_SECRET'] || (await ensureLocalSecret(dataDir));
    const settings = loadSettings({ ...env, DATABASE_URL: embedded.databaseUrl, GATEHOUSE_SECRET: secret });
    return { settings, stop: embedded.stop };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}
