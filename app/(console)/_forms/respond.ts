// The answers to a form: JSON for our own script, and a redirect or a page for a browser without JavaScript.
import { type Answer, type HttpRequest, html, json, redirect, renderPage } from '#lib/http/index.ts';
import type { Words as PageWords } from '#lib/language/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import { Refused } from '#lib/management/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { FormAnswer } from '../_ui/form.tsx';
import { withQuery } from '../_ui/with-query.ts';
import { type Draft, sealDraft } from './draft.ts';
import { Fields } from './fields.ts';
import type { Area, Outcome } from './form.ts';
import { faultInWords, inWords, refusedInWords, shownInWords } from './in-words.ts';
import type { Labels } from './labels.ts';
import { withNotice } from './notices.ts';
import { sealNotice } from './told-once.ts';

/** A sent form, as far as it was read. */
export type Submission = {
  area: Area;
  form: string;
  request: HttpRequest;
  fields: Fields | null;
  actor: ConsoleActor | null;
  page: string | null;
  labels: Labels;
  /** of the page, where it is in its reader's language */
  words: PageWords | null;
};
export type Words = { status: number; heading: string; message: string };
type Headers = Record<string, string>;
type Done = Extract<Outcome, { kind: 'done' }>;

const MARKED = 'Nothing was saved yet. Look at what is marked below.';
const STALE =
  'Somebody else saved this while you were editing. Nothing was overwritten: compare, then save again.';
const CONFIRM_AGAIN =
  'What this breaks is more than what you agreed to. Nothing was done: look once more, then send it again.';
const SIGNED_IN_AGAIN = 'Thank you. Look once more, then send it.';

const STATUS = { invalid: 422, conflict: 409, 'slow-down': 429 };

const isScripted = ({ request }: Submission) => request.headers['accept'] === 'application/json';

export async function respond(sent: Submission, outcome: Outcome | Refused): Promise<Answer> {
  if (outcome instanceof Refused) return answerRefused(sent, outcome);
  switch (outcome.kind) {
    case 'done': {
      const cookie: Headers = outcome.cookie ? { 'set-cookie': outcome.cookie } : {};
      return goTo(sent, noticed(sent, outcome), cookie);
    }
    case 'depart': {
      const { href, cookie } = outcome;
      if (isScripted(sent)) return json(200, { go: href }, { 'set-cookie': cookie });
      const words = { status: 200, heading: 'One moment', message: 'You are on your way to sign in.' };
      const headers = { 'set-cookie': cookie, refresh: `0; url=${href}`, 'referrer-policy': 'no-referrer' };
      return pageOf(words, { refresh: { href } }, headers, sent.words);
    }
    case 'shown': {
      const { shown } = outcome;
      const cookie: Headers = outcome.cookie ? { 'set-cookie': outcome.cookie } : {};
      const told = sent.words ? shownInWords(sent.words, shown) : shown;
      if (isScripted(sent)) return json(200, { shown: told }, cookie);
      return pageOf({ status: 200, ...told }, { details: told.values, link: told.next }, cookie, sent.words);
    }
    case 'confirm':
      return goTo(
        sent,
        await draftPage(sent, 'confirm', sent.fields?.has('confirmed') ? CONFIRM_AGAIN : null),
      );
    case 'refused': {
      const { told, status } = outcome;
      const message = typeof told === 'string' ? told : (sent.words ?? wordsOf('en')).told(told);
      return showAgain(sent, status, { message });
    }
  }
}

/** A notice for somebody who stays signed in is for them and for once; others are texts that everybody may read. */
function noticed({ actor }: Submission, { to, notice, about, cookie }: Done): string {
  const said = withNotice(to, notice);
  if (!notice || !actor || cookie) return said;
  return withQuery(said, { told: sealNotice(notice, about ?? null, actor.id) });
}

async function answerRefused(sent: Submission, refused: Refused): Promise<Answer> {
  const { kind, faults, retryAfterSeconds } = refused;
  const message = refusedInWords(sent.words, refused);
  switch (kind) {
    case 'forbidden':
      return refusal(sent, { status: 403, heading: 'You may not do this', message });
    case 'not-found':
      return refusal(sent, { status: 404, heading: 'It is not there', message });
    case 'stale':
      return goTo(sent, await draftPage(sent, 'stale', STALE));
    case 'reauthenticate': {
      const to = await draftPage(sent, 'reauthenticated', SIGNED_IN_AGAIN);
      return goTo(sent, withQuery('/account/again', { to }));
    }
    default: {
      const marked = faults.map((fault) => [fault.field, faultInWords(sent.words, fault, sent.labels)]);
      const said = kind === 'invalid' && marked.length > 0 ? MARKED : message;
      const retry: Headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
      return showAgain(sent, STATUS[kind], { message: said, faults: Object.fromEntries(marked) }, retry);
    }
  }
}

function goTo(sent: Submission, to: string, headers: Headers = {}): Answer {
  if (isScripted(sent)) return json(200, { go: to }, headers);
  return redirect(303, `${settings().baseUrl}${to}`, headers);
}

/** The form stays as it is, or comes back as it was sent, and says what is wrong. */
async function showAgain(
  sent: Submission,
  status: number,
  answer: FormAnswer,
  headers: Headers = {},
): Promise<Answer> {
  if (isScripted(sent)) return json(status, sent.words ? inWords(sent.words, answer) : answer, headers);
  return goTo(sent, await draftPage(sent, 'invalid', answer.message ?? null, answer.faults));
}

/** The form's page with what was typed into it. */
async function draftPage(
  sent: Submission,
  because: Draft['because'],
  message: string | null,
  faults = {},
): Promise<string> {
  const { form, area, page, actor, fields } = sent;
  const holder = { personId: actor?.id ?? null, cookie: sent.request.headers['cookie'] };
  const draft = await sealDraft({ form, because, message, faults }, fields ?? new Fields([]), holder);
  return withQuery(withoutDraft(page ?? `/${area}`), { draft });
}

/** A page reads the first draft in its address, so an older one goes. A sign-in keeps it in the field `to`. */
function withoutDraft(page: string): string {
  const [path = '', query] = page.split('?');
  const kept = new URLSearchParams(query);
  if (!kept.has('draft')) return page;
  kept.delete('draft');
  return withQuery(path, Object.fromEntries(kept));
}

/** Refused, and there is no form to go back to. */
export function refusal(sent: Submission, words: Words): Answer {
  const said = sent.words?.said ?? ((english: string) => english);
  if (isScripted(sent)) return json(words.status, { message: said(words.message) });
  const link = { href: sent.page ?? `/${sent.area}`, label: said('Open the page again') };
  return pageOf(words, { requestId: sent.request.requestId, link }, {}, sent.words);
}

type Page = Parameters<typeof renderPage>[0];

function pageOf(
  { status, heading, message }: Words,
  more: Partial<Page>,
  headers: Headers = {},
  words: PageWords | null = null,
): Answer {
  const page = renderPage({ title: heading, heading, message, ...more }, words ?? wordsOf('en'));
  return html(status, page, { https: settings().secureCookies, headers, ...(words && { words }) });
}
