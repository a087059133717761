// The answers to a form: for a browser without JavaScript a redirect or a page, for our own script the same as JSON.
import { type Answer, type HttpRequest, html, json, redirect, renderPage } from '#lib/http/index.ts';
import { Refused } from '#lib/management/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Draft, sealDraft, withDraft } from './draft.ts';
import { Fields } from './fields.ts';
import type { Area, Outcome } from './form.ts';
import { withNotice } from './notices.ts';

/** A form on its way, as far as it has been understood. */
export type Posted = {
  area: Area;
  form: string;
  request: HttpRequest;
  fields: Fields | null;
  actor: ConsoleActor | null;
  page: string | null;
};
export type Words = { status: number; heading: string; message: string };

const STATUS: Record<Refused['kind'], number> = {
  invalid: 422,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  stale: 412,
  reauthenticate: 403,
  'slow-down': 429,
};

const scripted = ({ request }: Posted) => request.headers['accept'] === 'application/json';

export function respond(posted: Posted, outcome: Outcome | Refused): Answer {
  if (outcome instanceof Refused) return refused(posted, outcome);
  switch (outcome.kind) {
    case 'done': {
      const cookie = outcome.cookie ? { 'set-cookie': outcome.cookie } : {};
      return go(posted, withNotice(outcome.to, outcome.notice), cookie);
    }
    case 'depart':
      return depart(posted, outcome.href, outcome.cookie);
    case 'shown':
      return shown(posted, outcome.shown);
    case 'confirm':
      return back(posted, { because: 'confirm', message: moved(posted), faults: {} });
    case 'refused': {
      const { status, message } = outcome;
      if (scripted(posted)) return json(status, { message });
      return back(posted, { because: 'invalid', message, faults: {} });
    }
  }
}

function refused(posted: Posted, error: Refused): Answer {
  const { kind, message } = error;
  const faults = Object.fromEntries(error.faults.map((fault) => [fault.field, aboutField(fault.message)]));
  const said = error.faults.length > 0 && kind === 'invalid' ? MARKED : sentence(message);
  switch (kind) {
    case 'forbidden':
      return refusal(posted, { status: 403, heading: 'You may not do this', message: said });
    case 'not-found':
      return refusal(posted, { status: 404, heading: 'It is not there', message: said });
    case 'stale':
      return back(posted, { because: 'stale', message: STALE, faults: {} });
    case 'reauthenticate': {
      const to = back(posted, { because: 'reauthenticated', message: AGAIN, faults: {} });
      const page = new URLSearchParams({ to: locationOf(to) });
      return go(posted, `/account/again?${page}`);
    }
    default: {
      const { retryAfterSeconds } = error;
      const headers: Record<string, string> =
        retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
      if (scripted(posted)) return json(STATUS[kind], { message: said, faults }, headers);
      return back(posted, { because: 'invalid', message: said, faults });
    }
  }
}

/** Who agreed already is told why they are asked again. */
function moved({ fields }: Posted): string | null {
  return fields?.has('confirmed') ? MOVED : null;
}

const MOVED =
  'What this breaks is more than what you agreed to. Nothing was done: look once more, then send it again.';
const MARKED = 'Nothing was saved yet. Look at what is marked below.';
const STALE =
  'Somebody else saved this while you were editing. Nothing was overwritten: compare, then save again.';
const AGAIN = 'Thank you. Look once more, then send it.';

function go(posted: Posted, to: string, headers: Record<string, string> = {}): Answer {
  if (scripted(posted)) return json(200, { go: to }, headers);
  return redirect(303, `${settings().baseUrl}${to}`, headers);
}

function back(posted: Posted, why: Omit<Draft, 'form' | 'entries'>): Answer {
  const fields = posted.fields ?? new Fields([]);
  const draft = sealDraft({ form: posted.form, ...why }, fields, posted.actor?.id ?? null);
  return go(posted, withDraft(posted.page ?? `/${posted.area}`, draft));
}

function locationOf(answer: Answer): string {
  const location = answer.headers['location'];
  if (typeof location === 'string') return location.slice(settings().baseUrl.length);
  return (JSON.parse(String(answer.body)) as { go: string }).go;
}

function depart(posted: Posted, href: string, cookie: string): Answer {
  if (scripted(posted)) return json(200, { go: href }, { 'set-cookie': cookie });
  const page = renderPage({
    title: 'One moment',
    heading: 'One moment',
    message: 'You are on your way to sign in.',
    refresh: { href },
  });
  const headers = { 'set-cookie': cookie, refresh: `0; url=${href}`, 'referrer-policy': 'no-referrer' };
  return html(200, page, { https: settings().secureCookies, headers });
}

function shown(posted: Posted, value: Extract<Outcome, { kind: 'shown' }>['shown']): Answer {
  if (scripted(posted)) return json(200, { shown: value });
  const page = renderPage({
    title: value.heading,
    heading: value.heading,
    message: value.message,
    details: value.values,
    link: value.next,
  });
  return html(200, page, { https: settings().secureCookies });
}

/** Nothing was done, and there is no form to go back to. */
export function refusal(posted: Posted, { status, heading, message }: Words): Answer {
  const { requestId } = posted.request;
  if (scripted(posted)) return json(status, { message });
  const link = { href: posted.page ?? `/${posted.area}`, label: 'Open the page again' };
  const page = renderPage({ title: heading, heading, message, requestId, link });
  return html(status, page, { https: settings().secureCookies });
}

/** Messages of the core start small, since the command line puts a name before them. An address stays as it is. */
export function sentence(message: string): string {
  const first = /^\p{L}+(?![^\s,.:;’'])/u.test(message)
    ? message.charAt(0).toUpperCase() + message.slice(1)
    : message;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/** Beside the field, its name and value need not be said again. */
function aboutField(message: string): string {
  return sentence(message.replace(/^(?:redirect URI|origin) \S+: /, ''));
}
