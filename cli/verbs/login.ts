// login, logout, whoami: a person's own sign-in at a service elsewhere.
import { type Command, JSON_FLAG, option, print, toggle, verb } from '../command.ts';
import { PROGRAM } from '../program.ts';
import { type Elsewhere, type Json, remoteService } from '../service.ts';
import { CLIENT_ID, openBrowser, REDIRECT_URI, signIn } from '../sign-in.ts';
import {
  credentialsOf,
  ensureFolder,
  fileOf,
  forget,
  keptServers,
  methodOf,
  readAnyKept,
  readKept,
  revoke,
  withFileLock,
} from '../sign-in-kept.ts';
import { CommandFailed, printable, WrongUsage, wholeNumber } from '../typed.ts';

const PATIENCE_MS = 300_000;
const MAX_PORT = 65_535;
const CANCELLED = 130;

export const signInVerbs: Command[] = [
  verb(
    'login',
    'sign in at a service elsewhere, in the browser; the verbs that work there then act as you',
    async ({ text, flag, elsewhere }) => {
      const server = serverOf(elsewhere);
      if (elsewhere.token !== null)
        say('warning: the verbs take GATEHOUSE_TOKEN as long as it is set, not this sign-in');
      const cancel = () => {
        say('\nthe sign-in was cancelled');
        process.exit(CANCELLED);
      };
      process.once('SIGINT', cancel);
      let isTold = false;
      await signIn({
        server,
        clientId: text('client') ?? CLIENT_ID,
        method: text('method'),
        scope: text('scope'),
        acr: text('acr'),
        port: portOf(text('port')),
        patienceMs: PATIENCE_MS,
        onAddress(address) {
          say(`Sign in with a browser on this machine, within five minutes:\n\n  ${address}\n`);
          if (!flag('no-browser')) openBrowser(address);
        },
        onStranger() {
          if (!isTold) say('another program or page called that port; what it sent was not taken');
          isTold = true;
        },
      });
      process.off('SIGINT', cancel);
      // store the sign-in even if reading the user requires stronger authentication
      const { who } = await readMe({ server, token: null }).catch(({ message }: Error) => {
        say(message);
        return { who: '' };
      });
      print(`signed in at ${server}${who}`);
    },
    {
      options: {
        'no-browser': toggle('print the address only; open no browser'),
        method: option('ID', 'the sign-in method, where the service has several for its management API'),
        client: option('CLIENT_ID', `the client that is registered there for it; default: ${CLIENT_ID}`),
        scope: option('"SCOPE …"', 'ask for these only; default: what the verbs need'),
        acr: option('VALUE', 'how strong the sign-in has to be: urn:gatehouse:acr:mfa'),
        port: option('PORT', 'of 127.0.0.1 where the browser brings the answer; default: a free one'),
      },
      notes: `The service has a native client ${CLIENT_ID} with the redirect address ${REDIRECT_URI} and an approved subscription to management. The sign-in is kept in $XDG_CONFIG_HOME/gatehouse, or ~/.config/gatehouse, for its owner only.`,
      signsIn: true,
      needs: 'nothing',
    },
  ),
  verb(
    'logout',
    'end the sign-in at a service elsewhere, there and here',
    async ({ elsewhere }) => {
      const server = await serverOrOnly(elsewhere);
      await ensureFolder();
      await withFileLock(fileOf(server), async () => {
        const anyKept = await readAnyKept(server);
        // a damaged file goes, too
        await forget(server);
        if (anyKept === null) return print(`no one was signed in at ${server}`);
        const isRevoked = await revoke(anyKept).catch((error: unknown) => {
          throw new CommandFailed(
            `signed out here only, and the tokens end by themselves: ${(error as Error).message}`,
          );
        });
        print(isRevoked ? `signed out of ${server}` : `signed out here: ${server} revokes nothing`);
      });
    },
    { signsIn: true, needs: 'nothing' },
  ),
  verb(
    'whoami',
    'say who acts at a service elsewhere, and by what',
    async ({ elsewhere, flag }) => {
      const server = await serverOrOnly(elsewhere);
      const { token } = elsewhere;
      const { me, who } = await readMe({ server, token });
      const kept = token === null ? await readKept(server) : null;
      if (flag('json')) {
        const { client_id = null, issuer = null, scope = null } = kept ?? {};
        return print(JSON.stringify({ server, ...me, issuer, client_id, scope }, null, 2));
      }
      print(`${server}${who}`);
      print(
        kept === null
          ? 'by a token that was given'
          : `by the sign-in kept in ${fileOf(server)}: method ${methodOf(kept.issuer)}, client ${kept.client_id}, scopes ${printable(kept.scope)}`,
      );
    },
    { options: JSON_FLAG, signsIn: true, needs: 'nothing' },
  ),
];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function serverOf({ server }: Elsewhere): string {
  if (server === null) throw new WrongUsage('--server URL is missing (or GATEHOUSE_SERVER)');
  return server;
}

/** Default server: the single server with a stored sign-in. */
async function serverOrOnly(elsewhere: Elsewhere): Promise<string> {
  const [only, ...more] = elsewhere.server === null ? await keptServers() : [elsewhere.server];
  if (only === undefined) throw new CommandFailed(`no one is signed in: ${PROGRAM} login --server URL`);
  if (more.length > 0) throw new WrongUsage(`--server is one of ${[only, ...more].join(', ')}`);
  return only;
}

function portOf(typed: string | undefined): number {
  const port = typed === undefined ? 0 : wholeNumber(typed, '--port');
  if (port > MAX_PORT) throw new WrongUsage(`--port is at most ${MAX_PORT}`);
  return port;
}

/** `who`: phrase for use inside a sentence. */
async function readMe({ server, token }: { server: string; token: string | null }) {
  const credentials = await credentialsOf(server, token);
  const me: Json = await remoteService({ server, credentials }).call('GET', '/me');
  const roles = (me['roles'] as string[] | undefined)?.join(', ') || 'no role';
  return {
    me: { email: me['email'], name: me['name'], roles: me['roles'] },
    who: printable(` as ${me['email'] ?? me['name']} (${roles})`),
  };
}
