// login, logout, whoami: the user's sign-in at a remote service.
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
    'sign in to another service, in the browser; commands with --server then act as you',
    async ({ text, flag, elsewhere }) => {
      const server = serverOf(elsewhere);
      if (elsewhere.token !== null)
        say('warning: GATEHOUSE_TOKEN is set and takes precedence over this sign-in');
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
          if (!isTold) say('another program or page called that port; its request was ignored');
          isTold = true;
        },
      });
      process.off('SIGINT', cancel);
      // stores the sign-in even if reading the user requires a stronger sign-in
      const { who } = await readMe({ server, token: null }).catch(({ message }: Error) => {
        say(message);
        return { who: '' };
      });
      print(`signed in at ${server}${who}`);
    },
    {
      options: {
        'no-browser': toggle('print the address only; open no browser'),
        method: option('ID', 'the sign-in method, if the service has several for its management API'),
        client: option('CLIENT_ID', `the client that is registered at the service; default: ${CLIENT_ID}`),
        scope: option('"SCOPE …"', 'the scopes to request; default: those that the commands need'),
        acr: option('VALUE', 'the required strength of the sign-in: urn:gatehouse:acr:mfa'),
        port: option('PORT', 'the port of 127.0.0.1 that receives the response; default: a free port'),
      },
      notes: `The service must have a native client ${CLIENT_ID} with the redirect address ${REDIRECT_URI} and an approved subscription to management. The sign-in is stored in $XDG_CONFIG_HOME/gatehouse, or ~/.config/gatehouse, readable only by you.`,
      signsIn: true,
      needs: 'nothing',
    },
  ),
  verb(
    'logout',
    'sign out of another service, and delete the stored sign-in',
    async ({ elsewhere }) => {
      const server = await serverOrOnly(elsewhere);
      await ensureFolder();
      await withFileLock(fileOf(server), async () => {
        const anyKept = await readAnyKept(server);
        // a damaged file is also deleted
        await forget(server);
        if (anyKept === null) return print(`no one was signed in at ${server}`);
        const isRevoked = await revoke(anyKept).catch((error: unknown) => {
          throw new CommandFailed(
            `the stored sign-in is deleted, but the tokens were not revoked and remain valid until they expire: ${(error as Error).message}`,
          );
        });
        print(
          isRevoked
            ? `signed out of ${server}`
            : `the stored sign-in is deleted: ${server} does not support revocation`,
        );
      });
    },
    { signsIn: true, needs: 'nothing' },
  ),
  verb(
    'whoami',
    'show the person who acts at another service, and the source of the token',
    async ({ elsewhere, flag }) => {
      const server = await serverOrOnly(elsewhere);
      const { token } = elsewhere;
      const { me, who } = await readMe({ server, token });
      const storedSignIn = token === null ? await readKept(server) : null;
      if (flag('json')) {
        const { client_id = null, issuer = null, scope = null } = storedSignIn ?? {};
        return print(JSON.stringify({ server, ...me, issuer, client_id, scope }, null, 2));
      }
      print(`${server}${who}`);
      print(
        storedSignIn === null
          ? 'with a token from the command line or the environment'
          : `with the sign-in stored in ${fileOf(server)}: method ${methodOf(storedSignIn.issuer)}, client ${storedSignIn.client_id}, scopes ${printable(storedSignIn.scope)}`,
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

/** Returns the server that the option names; by default the only server with a stored sign-in. */
async function serverOrOnly(elsewhere: Elsewhere): Promise<string> {
  const [only, ...more] = elsewhere.server === null ? await keptServers() : [elsewhere.server];
  if (only === undefined) throw new CommandFailed(`no one is signed in: run ${PROGRAM} login --server URL`);
  if (more.length > 0) throw new WrongUsage(`--server must be one of ${[only, ...more].join(', ')}`);
  return only;
}

function portOf(typed: string | undefined): number {
  const port = typed === undefined ? 0 : wholeNumber(typed, '--port');
  if (port > MAX_PORT) throw new WrongUsage(`--port is at most ${MAX_PORT}`);
  return port;
}

/** Reads the signed-in user. `who`: the user, as a phrase for a sentence. */
async function readMe({ server, token }: { server: string; token: string | null }) {
  const credentials = await credentialsOf(server, token);
  const me: Json = await remoteService({ server, credentials }).call('GET', '/me');
  const roles = (me['roles'] as string[] | undefined)?.join(', ') || 'no role';
  return {
    me: { email: me['email'], name: me['name'], roles: me['roles'] },
    who: printable(` as ${me['email'] ?? me['name']} (${roles})`),
  };
}
