// Runs each client of testing/release against a separate service. The program prints a sign-in URL, a browser without
// scripts opens it, the program receives the redirect URL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sqlOn } from '#testing/data/sql.ts';
import { issuerOf } from '#testing/net/door.ts';
import { Browser, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';

type Told = Record<string, unknown>;
type Language = {
  name: string;
  /** command that succeeds if the toolchain of the language is installed */
  needs: string[];
  folder: string;
  /** commands that build the folder's program */
  make: string[][];
  run: (folder: string) => string[];
};

const LANGUAGES: Language[] = [
  {
    name: 'Go: x/oauth2, go-oidc',
    needs: ['go', 'version'],
    folder: 'go',
    make: [['go', 'build', '-o', 'program', '.']],
    run: (folder) => [path.join(folder, 'program')],
  },
  {
    name: 'Java: Spring Security',
    needs: ['mvn', '-v'],
    folder: 'java',
    make: [
      ['mvn', '-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'],
      ['sh', '-c', 'printf %s ":target/classes" >>classpath'],
    ],
    run: () => ['sh', '-c', 'exec java -cp "$(cat classpath)" ReleaseTest'],
  },
  {
    name: 'Rust: openidconnect',
    needs: ['cargo', '--version'],
    folder: 'rust',
    make: [['cargo', 'build', '--quiet', '--locked']],
    run: (folder) => [path.join(folder, 'target/debug/release-test')],
  },
];

const CLIENTS = { confidential: 'conf', public: 'nat' } as const;
const REDIRECT = { conf: 'https://conf.example/cb', nat: 'http://127.0.0.1/cb' } as const;
const SECRET = { conf: 'S1-conf-secret-of-the-fixtures', nat: '' } as const;
const alice = fixturePerson('alice');

let passed = 0;
const failed: string[] = [];

/** Records whether a program in this language meets an expectation. */
function expect(title: string, holds: boolean, shown: unknown): void {
  if (holds) passed += 1;
  else failed.push(`${title}: ${JSON.stringify(shown)}`);
  process.stdout.write(`${holds ? '✓' : '✗'} ${title}\n`);
}

/** Returns a function that resolves to the next line that the program prints. It throws if the program ends first. */
function linesOf(child: ChildProcess): () => Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the program ended without an answer: its message is above');
    return String(value);
  };
}

async function signInBy(
  service: OwnService,
  language: Language,
  folder: string,
  clientId: keyof typeof REDIRECT,
): Promise<{ told: Told; browser: Browser }> {
  const [program = '', ...args] = language.run(folder);
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      ...process.env,
      ISSUER: issuerOf(service),
      CLIENT_ID: clientId,
      CLIENT_SECRET: SECRET[clientId],
      REDIRECT_URI: REDIRECT[clientId],
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const nextLine = linesOf(child);
    const address = await nextLine();
    const browser = new Browser(service);
    let page = await browser.onward(await browser.get(address));
    if (isSignInPage(page)) page = await browser.onward(await browser.signInOn(page, alice));
    if (isConsentPage(page)) page = await browser.onward(await browser.decideOn(page, 'allow'));
    if (!page.location.startsWith(REDIRECT[clientId])) throw new Error(`the browser ended at ${page.status}`);
    child.stdin?.write(`${page.location}\n`);
    return { told: JSON.parse(await nextLine()) as Told, browser };
  } finally {
    child.kill();
  }
}

/** Ends the session through the metadata's URL, then checks with `prompt=none` that no session remains. */
async function signsOut(service: OwnService, { told, browser }: { told: Told; browser: Browser }) {
  const address = String(
    told['end_session_uri'] ?? `${issuerOf(service)}/logout?id_token_hint=${told['id_token']}`,
  );
  await browser.onward(await browser.get(address));
  const query = new URLSearchParams({
    ...{
      client_id: 'conf',
      response_type: 'code',
      redirect_uri: REDIRECT.conf,
      scope: 'openid',
      prompt: 'none',
    },
  });
  const { location } = await browser.onward(await browser.get(`${issuerOf(service)}/authorize?${query}`));
  return new URL(location).searchParams.get('error');
}

async function check(service: OwnService, language: Language, folder: string): Promise<void> {
  const sql = sqlOn(service.databaseUrl);
  const [person] = await sql<{ id: string }>('select id from people where email = $1', [alice.email]);
  for (const [kind, clientId] of Object.entries(CLIENTS)) {
    // skipped, because the Spring program is a confidential client
    if (language.folder === 'java' && kind === 'public') continue;
    const title = (what: string) => `${language.name}, ${kind}: ${what}`;
    try {
      const signedIn = await signInBy(service, language, folder, clientId);
      const { told } = signedIn;
      expect(title('signs in, and checks the ID token'), told['sub'] === person?.id, told['sub']);
      expect(title('reads userinfo'), told['email'] === alice.email, told['email']);
      expect(title('refreshes'), told['refreshed'] === true, told['refreshed']);
      const scopes = ['openid', 'email', 'read'];
      if (told['authorities'] === undefined) {
        const scope = String(told['scope']).split(' ');
        expect(
          title('reads the scope of the answer'),
          scopes.every((one) => scope.includes(one)),
          scope,
        );
      } else {
        const authorities = told['authorities'] as string[];
        const wanted = scopes.map((scope) => `SCOPE_${scope}`);
        expect(
          title('grants SCOPE_ authorities'),
          wanted.every((one) => authorities.includes(one)),
          authorities,
        );
      }
      if (told['token_requests'] !== undefined)
        expect(
          title('gets tokens at the first request'),
          told['token_requests'] === 1,
          told['token_requests'],
        );
      const error = await signsOut(service, signedIn);
      expect(title('signs out'), error === 'login_required', error);
    } catch (error) {
      failed.push(title(String((error as Error).message)));
      process.stdout.write(`✗ ${failed.at(-1)}\n`);
    }
  }
}

const isThere = ([program = '', ...args]: string[]) => spawnSync(program, args).status === 0;

/** Builds the program. `null`: the build succeeded; otherwise the command that failed. */
async function make(language: Language, own: string): Promise<string | null> {
  cpSync(path.resolve('testing/release', language.folder), own, { recursive: true });
  for (const command of language.make) {
    const [program = '', ...args] = command;
    const code = await new Promise((resolve) => {
      const child = spawn(program, args, { cwd: own, stdio: ['ignore', 'inherit', 'inherit'] });
      child.on('error', () => resolve(1));
      child.on('close', resolve);
    });
    if (code !== 0) return command.join(' ');
  }
  return null;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-release-'));
let service: OwnService | undefined;
async function end(): Promise<void> {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().finally(() => process.exit(1)));
try {
  for (const { name, needs } of LANGUAGES)
    if (!isThere(needs)) process.stdout.write(`- ${name}: skipped, ${needs[0]} is not installed\n`);
  const present = LANGUAGES.filter(({ needs }) => isThere(needs));
  const made = present.map((language) => ({ language, own: path.join(folder, language.folder) }));
  // builds run in parallel, because they mostly wait for downloads
  const broken = Promise.all(made.map(({ language, own }) => make(language, own)));
  service = await startOwnService();
  for (const [at, command] of (await broken).entries()) {
    const { language, own } = made[at] as (typeof made)[number];
    if (command === null) await check(service, language, own);
    else {
      failed.push(`${language.name}: ${command} failed`);
      process.stdout.write(`✗ ${failed.at(-1)}\n`);
    }
  }
} catch (error) {
  failed.push(String((error as Error).message));
} finally {
  await end();
}
const { results } = parseArgs({ options: { results: { type: 'string' } } }).values;
if (results) writeFileSync(results, JSON.stringify({ passed, failed }));
process.exit(failed.length === 0 ? 0 : 1);
