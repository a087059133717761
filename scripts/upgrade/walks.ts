// Walks: activities of users and programs during a version change, as complete protocol requests without
// retries. Every unexpected response is a failure.
import {
  fixtureApi,
  fixtureClient,
  fixturePerson,
  type Client as Registered,
} from '#testing/data/fixtures.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import type { Door } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer, Sent } from '#testing/net/sent.ts';
import { Browser } from '#testing/service/browser.ts';
import { credentialsOf, introspect, redemptionOf, token, tokensOf } from '#testing/service/token.ts';
import { Client, type Tokens } from '../faults/support/client.ts';
import type { Ledger } from '../faults/support/ledger.ts';
import { formOnPage } from './form-on-page.ts';

type Person = { email: string; password: string };

/** Names of the instances that responded during one walk, in order. */
export type Trail = string[];
export type Walk = { kind: string; once: (trail: Trail) => Promise<void> };

/** What the walks use. `machine`: a client that gets tokens for orders by client credentials. */
export type Cast = { door: Door; ledger: Ledger; people: Person[]; machine: Registered };

const PLAIN = fixtureClient('conf');
const NATIVE = fixtureClient('nat');

function noteAnswer(
  trail: Trail,
  answer: Answer,
  wanted: number | ((answer: Answer) => boolean) = 200,
): Answer {
  trail.push(String(answer.headers['x-instance'] ?? 'nobody'));
  const good = typeof wanted === 'number' ? answer.status === wanted : wanted(answer);
  if (good) return answer;
  const said = answer.text.replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  throw new Error(`${answer.status} from ${trail.at(-1)} ${answer.location} ${said.slice(0, 200)}`);
}

/** A browser that records which instances respond. It throws an error if a status is 4xx or 5xx. */
class Visitor extends Browser {
  trail: Trail = [];

  override async get(url: string, sent: Sent = {}): Promise<Answer> {
    return noteAnswer(this.trail, await super.get(url, sent), ({ status }) => status < 400);
  }

  override async submit(path: string, form: Record<string, string>): Promise<Answer> {
    return noteAnswer(this.trail, await super.submit(path, form), ({ status }) => status === 303);
  }
}

/** Signs in, consents, redeems the code. */
async function signIn(cast: Cast, browser: Visitor, client: Registered, who?: Person): Promise<Answer> {
  const code = await browser.codeFor(client, { ...(who ? { who } : { params: { prompt: 'none' } }) });
  return noteAnswer(browser.trail, await token(cast.door, redemptionOf(client, code)));
}

/**
 * Begins the walks (activities). Each begins before the version change, so its session and token family are
 * from the old version.
 */
export async function beginWalks(cast: Cast): Promise<Walk[]> {
  const { door, people } = cast;
  const person = (index: number) => people[index % people.length] as Person;
  let arrivals = 0;
  const renewing = new Visitor(door);
  await signIn(cast, renewing, PLAIN, person(arrivals++));
  const walks: Walk[] = [
    {
      kind: 'sign-in',
      once: async (trail) => {
        const browser = new Visitor(door);
        browser.trail = trail;
        arrivals += 1;
        const answer = await signIn(cast, browser, arrivals % 2 ? PLAIN : NATIVE, person(arrivals));
        const { accessToken } = tokensOf(answer);
        await introspectPresented(door, accessToken, trail);
      },
    },
    {
      kind: 'silent renewal',
      once: async (trail) => {
        renewing.trail = trail;
        await signIn(cast, renewing, PLAIN);
      },
    },
    {
      kind: 'client credentials',
      once: async (trail) => {
        const form = { grant_type: 'client_credentials', ...credentialsOf(cast.machine) };
        const answer = noteAnswer(trail, await token(door, form));
        await introspectPresented(door, String(answer.json()['access_token']), trail);
      },
    },
    {
      kind: 'console sign-in',
      once: async (trail) => void (await consoleJar(door, fixturePerson('bob'), trail)),
    },
  ];
  for (let family = 0; family < 4; family += 1) walks.push(await refreshing(cast, person(arrivals++)));
  walks.push(await changingName(door), await changingApi(door));
  return walks;
}

async function introspectPresented(door: Door, presented: string, trail: Trail): Promise<void> {
  const answer = await introspect(door, presented, fixtureApi('orders'));
  noteAnswer(trail, answer, ({ status, json }) => status === 200 && json()['active'] === true);
}

/** Refreshes the tokens of a family that the old version issued, until the test ends. */
async function refreshing(cast: Cast, who: Person): Promise<Walk> {
  const client = new Client(cast.ledger, cast.door, PLAIN);
  const { code } = await new Visitor(cast.door).codeFor(PLAIN, { who });
  let tokens = await client.redeem(code);
  let before: string | null = null;
  return {
    kind: 'refresh',
    once: async (trail) => {
      if (before !== null) trail.push(before);
      const next: Tokens | null = tokens && (await client.refresh(tokens));
      noteAnswer(trail, client.last as Answer);
      before = trail.at(-1) ?? null;
      tokens = next;
    },
  };
}

async function consoleJar(door: Door, who: Person, trail: Trail): Promise<CookieJar> {
  const jar = new CookieJar();
  const page = noteAnswer(
    trail,
    await send(`${door.url}/account`, { jar, headers: { accept: 'text/html' } }),
  );
  const typed = [...formOnPage(page.text, '/account/submit/sign-in')].map(
    ([name, value]): [string, string] => {
      if (name === 'username') return [name, who.email];
      return name === 'password' ? [name, who.password] : [name, value];
    },
  );
  await sendForm(door, jar, '/account/submit/sign-in', typed, trail);
  await pageOf(door, jar, '/account', trail, '/account/submit/sign-out');
  return jar;
}

/** Returns the HTML of a page for this session. Throws unless the page contains `holds`. */
async function pageOf(
  door: Door,
  jar: CookieJar,
  path: string,
  trail: Trail,
  holds: string,
): Promise<string> {
  const answer = await send(`${door.url}${path}`, { jar, headers: { accept: 'text/html' } });
  return noteAnswer(trail, answer, ({ status, text }) => status === 200 && text.includes(holds)).text;
}

/** Submits like the page's script. Returns the target URL. */
async function sendForm(
  door: Door,
  jar: CookieJar,
  action: string,
  form: [string, string][],
  trail: Trail,
): Promise<string> {
  const headers = { origin: door.url, accept: 'application/json' };
  const answer = await send(`${door.url}${action}`, { jar, headers, form });
  const isSent = ({ status, json }: Answer) => status === 200 && typeof json()['go'] === 'string';
  return String(noteAnswer(trail, answer, isSent).json()['go']);
}

/** Changes a field of a console form to a new text, submits, and checks the page for the text. */
function changing(door: Door, jar: CookieJar, page: string, action: string, field: string): Walk {
  let turn = 0;
  return {
    kind: 'console form',
    once: async (trail) => {
      turn += 1;
      const text = `Changed ${turn} times`;
      const form = formOnPage(await pageOf(door, jar, page, trail, action), action);
      if (!form.some(([name]) => name === field)) throw new Error(`${action} has no field ${field}`);
      const typed = form.map(([name, value]): [string, string] => [name, name === field ? text : value]);
      const next = await sendForm(door, jar, action, typed, trail);
      // the page warns about consequences: submit its form again
      if (next.includes('draft=')) {
        const shown = formOnPage(await pageOf(door, jar, next, trail, action), action);
        await sendForm(door, jar, action, shown, trail);
      }
      const after = await pageOf(door, jar, page, trail, action);
      const found = formOnPage(after, action).find(([name]) => name === field)?.[1];
      if (found !== text) throw new Error(`${page} says ${found} for ${text}`);
    },
  };
}

const changingName = async (door: Door) =>
  changing(
    door,
    await consoleJar(door, fixturePerson('alice'), []),
    '/account',
    '/account/submit/name',
    'name',
  );

const changingApi = async (door: Door) =>
  changing(
    door,
    await consoleJar(door, fixturePerson('admin'), []),
    '/admin/apis/billing/edit',
    '/admin/submit/api-change',
    'description',
  );
