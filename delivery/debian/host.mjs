// Loaded before the service or a command on a host with the Debian package. For the service, systemd reads
// /etc/gatehouse/env and passes credentials as files. For a command, this module reads both.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settingsIn } from './settings-file.mjs';

const FOLDER = '/etc/gatehouse';
const { env } = process;
const given = env.CREDENTIALS_DIRECTORY;
// variables of the caller take precedence over the file
const said = new Set(Object.keys(env));

try {
  if (given === undefined) {
    const file = settingsIn(readFileSync(path.join(FOLDER, 'env'), 'utf8'));
    for (const [name, value] of file) if (!said.has(name)) env[name] = value;
  }
  const folder = given ?? path.join(FOLDER, 'credentials');
  for (const file of readdirSync(folder)) {
    const name = given === undefined ? file : file.replace(/^gatehouse_/, '');
    // the value may be set already, because workers inherit it
    const isSet = Boolean(env[name] || env[`${name}_FILE`]);
    if (/^[A-Z][A-Z_]*$/.test(name) && !isSet) env[`${name}_FILE`] = path.join(folder, file);
  }
} catch (error) {
  // the file must be readable, unless the command uses a remote service or variables of the caller
  const isNeeded = given !== undefined || (error.code !== 'ENOENT' && !isOfTheCaller());
  if (isNeeded)
    refuse(
      `${error.path} cannot be read (${error.code})${given === undefined ? ': only root can read it' : ''}`,
    );
}
if (given !== undefined && !['DATABASE_URL', 'DATABASE_URL_FILE', 'POSTGRES_URL'].some((name) => env[name]))
  refuse(`DATABASE_URL is missing: write it into ${FOLDER}/credentials/DATABASE_URL`);
// by default the service listens on localhost, because a reverse proxy forwards requests to it
env.HOST ||= '127.0.0.1';
env.GATEHOUSE_DATA_DIR ||= env.STATE_DIRECTORY || '/var/lib/gatehouse';

function refuse(line) {
  process.stderr.write(`gatehouse: ${line}\n`);
  process.exit(1);
}

function isOfTheCaller() {
  const [, , verb, ...rest] = process.argv;
  const flags = ['--help', '-h', '--version', '--server'];
  return (
    verb === undefined ||
    ['login', 'logout', 'whoami', 'import', 'schema'].includes(verb) ||
    [verb, ...rest].some((word) => flags.includes(word.replace(/=.*/s, ''))) ||
    ['DATABASE_URL', 'DATABASE_URL_FILE', 'GATEHOUSE_SERVER'].some((name) => said.has(name))
  );
}
