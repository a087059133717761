// POST /{account,developer,admin}/submit/<form>: the only addresses that accept console forms. Responses: JSON for
// the console's script, a redirect or a page for a browser without JavaScript.
import { answerAtHost, besideIssuers, plainRequest, requestFacts, webResponse } from '#app/_doors/plain.ts';
import { type Answer, type HttpRequest, html, json, redirect } from '#lib/http/message.ts';
import { whyForeignPost } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { log } from '#lib/kit/log.ts';
import { randomToken } from '#lib/kit/random.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { type EnglishSentence, english, type Told } from '#lib/language/message.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import { Refused } from '#lib/management/refused.ts';
import { pageWords } from '#lib/oauth/pages/frame.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { inTheme } from '#lib/sessions/choices.ts';
import {
  type ConsoleActor,
  claimForm,
  isConsoleFormToken,
  readConsoleActor,
  readConsoleVisitor,
  releaseForm,
} from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { type PageWords, pageWordsOf } from '../_texts/page-words.ts';
import {
  type Area,
  ASKED_ID,
  type Context,
  type Forms,
  type Outcome,
  type ToldOnce,
} from './console-form.ts';
import { type Draft, storeDraft } from './draft.ts';
import type { FormAnswer, Shown } from './form.tsx';
import { faultInWords, type Labels, problemInWords, refusedInWords } from './in-words.ts';
import { storeNotice, withNotice } from './notices.ts';
import { wordsOfPage } from './page-language.ts';
import { Fields, readFields } from './posted.ts';
import { testInWords } from './test-result.ts';
import { withQuery } from './with-query.ts';

/** A submitted form, as parsed so far. */
export type Submission = {
  area: Area;
  form: string;
  request: HttpRequest;
  fields: Fields | null;
  actor: ConsoleActor | null;
  page: string | null;
  labels: Labels;
  /** texts of a page in several languages */
  words: PageWords | null;
};
type Words = { status: number; heading: Told; message: Told };
type Headers = Answer['headers'];
type Done = Extract<Outcome, { kind: 'done' }>;

const CONFIRM_AGAIN = english(
  'This change has more consequences than you confirmed. Nothing was done: review the consequences, then send the form again.',
);

const STATUS = { invalid: 422, conflict: 409, 'slow-down': 429 };

const wordsFor = ({ words }: Submission) => words ?? pageWordsOf('en');
const isScripted = ({ request }: Submission) => request.headers['accept'] === 'application/json';

export async function respond(submission: Submission, outcome: Outcome | Refused): Promise<Answer> {
  if (outcome instanceof Refused) return answerRefused(submission, outcome);
  switch (outcome.kind) {
    case 'done': {
      const cookie: Headers = outcome.cookie ? { 'set-cookie': outcome.cookie } : {};
      return goTo(submission, await addNotice(submission, outcome), cookie);
    }
    case 'depart': {
      const { href, cookie } = outcome;
      if (isScripted(submission)) return json(200, { go: href }, { 'set-cookie': cookie });
      const words: Words = { status: 200, heading: 'frame.one_moment', message: 'told.leaving' };
      const headers = { 'set-cookie': cookie, refresh: `0; url=${href}`, 'referrer-policy': 'no-referrer' };
      return pageOf(words, { refresh: { href } }, headers, submission);
    }
    case 'shown': {
      const { shown } = outcome;
      const cookie: Headers = outcome.cookie ? { 'set-cookie': outcome.cookie } : {};
      if (isScripted(submission)) return json(200, { shown: shownIn(wordsFor(submission), shown) }, cookie);
      const { keptAs, values } = shown;
      const renderValue = (value: Value) => valueIn(wordsFor(submission), value);
      const codes = keptAs !== undefined && {
        label: values[0]?.[0] ?? shown.heading,
        values: values.flatMap(([, value]) => renderValue(value).split('\n')),
        nonce: randomToken(''),
      };
      return pageOf(
        { status: 200, ...shown },
        {
          ...(codes
            ? { codes }
            : { details: values.map(([name, value]) => [name, renderValue(value)] as const) }),
          ...(shown.file && { file: shown.file }),
          ...(shown.first ? { link: shown.first, otherLink: shown.next } : { link: shown.next }),
        },
        cookie,
        submission,
      );
    }
    case 'confirm':
      return goToForm(submission, {
        because: 'confirm',
        told: submission.fields?.has('confirmed') ? CONFIRM_AGAIN : null,
        part: ASKED_ID,
      });
    case 'tested':
      if (isScripted(submission))
        return json(200, { test: testInWords(wordsFor(submission).say, outcome.test) });
      return goToForm(submission, { because: 'tested', told: null, test: outcome.test, part: 'found' });
    case 'refused': {
      const { told, status, problems = [] } = outcome;
      const words = wordsFor(submission);
      const lines = problems.map((problem) => problemInWords(words, problem));
      return showAgain(submission, status, { message: [words.sentence(told), ...lines].join(' ') });
    }
  }
}

type Value = ToldOnce['values'][number][1];

function valueIn({ told }: PageWords, value: Value): string {
  if (typeof value === 'string') return value;
  return 'text' in value ? told(value) : `${told(value.what)}: ${told(value.why)}`;
}

function shownIn(
  words: PageWords,
  { heading, message, values, next, first, keptAs, ...shown }: ToldOnce,
): Shown {
  const { told, t } = words;
  return {
    ...shown,
    ...(keptAs !== undefined && {
      kept: { file: keptAs, download: t('factor.codes_download'), print: t('factor.codes_print') },
    }),
    heading: told(heading),
    message: told(message),
    values: values.map(([name, value]) => [told(name), valueIn(words, value)]),
    next: { ...next, label: told(next.label) },
    ...(first && { first: { ...first, label: told(first.label) } }),
  };
}

/** A notice for a signed-in user is private and shown once. Other notices are public texts. */
async function addNotice(
  { actor, request, form }: Submission,
  { to, notice, about, cookie, problems, undo }: Done,
): Promise<string> {
  const address = withNotice(to, notice);
  if (!notice || !actor || cookie) return address;
  const telling = { about: about ?? null, ...(problems && { problems }), ...(undo && { undo }) };
  // the operation has succeeded, so a database outage at this point must not report a failure
  const noticeId = await storeNotice(notice, telling, actor).catch((error: unknown) => {
    log().warn({ err: error, request_id: request.requestId, form }, 'a notice is not stored');
    return null;
  });
  return withQuery(address, { told: noticeId ?? '' });
}

async function answerRefused(submission: Submission, refused: Refused): Promise<Answer> {
  const { kind, faults, retryAfterSeconds } = refused;
  const message = refusedInWords(submission.words, refused);
  switch (kind) {
    case 'forbidden':
      return refusal(submission, { status: 403, heading: 'account.may_not', message: { text: message } });
    case 'not-found':
      return refusal(submission, { status: 404, heading: 'account.not_there', message: { text: message } });
    case 'stale':
      return goToForm(submission, { because: 'stale', told: 'told.stale' });
    case 'reauthenticate': {
      const { to, headers } = await draftPage(submission, { because: 'reauthenticated', told: 'told.again' });
      return goTo(submission, withQuery('/account/again', { to }), headers);
    }
    default: {
      const marked = faults.map((fault) => [
        fault.field,
        faultInWords(submission.words, fault, submission.labels),
      ]);
      const isMarked = kind === 'invalid' && marked.length > 0;
      const above = isMarked ? wordsFor(submission).t('account.marked') : message;
      const retry: Headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
      return showAgain(
        submission,
        STATUS[kind],
        { message: above, faults: Object.fromEntries(marked) },
        retry,
      );
    }
  }
}

function goTo(submission: Submission, to: string, headers: Headers = {}): Answer {
  if (isScripted(submission)) return json(200, { go: to }, headers);
  return redirect(303, `${settings().baseUrl}${to}`, headers);
}

/** Returns an answer that keeps the form in the browser, or displays the input again with its faults. */
async function showAgain(
  submission: Submission,
  status: number,
  answer: FormAnswer,
  headers: Headers = {},
): Promise<Answer> {
  if (isScripted(submission)) return json(status, answer, headers);
  const notice = answer.message ? { text: answer.message } : null;
  return goToForm(submission, {
    because: 'invalid',
    told: notice,
    ...(answer.faults && { faults: answer.faults }),
  });
}

type Back = {
  because: Draft['because'];
  told: Told | null;
  faults?: Record<string, string>;
  test?: ConnectionTest;
};

/** `part`: id of the page element that the browser scrolls to. */
async function goToForm(
  submission: Submission,
  { part, ...back }: Back & { part?: string },
): Promise<Answer> {
  const { to, headers } = await draftPage(submission, back);
  return goTo(submission, part === undefined ? to : `${to}#${part}`, headers);
}

/** Returns the form's page, which displays the submitted input again. */
async function draftPage(
  submission: Submission,
  { because, told, faults = {}, test }: Back,
): Promise<{ to: string; headers: Headers }> {
  const { form, area, page, actor, fields } = submission;
  const message = told && wordsFor(submission).told(told);
  const holder = { actor, cookie: submission.request.headers['cookie'] };
  const draft = await storeDraft(
    { form, because, message, faults, ...(test && { test }) },
    fields ?? new Fields([]),
    holder,
    wordsFor(submission),
  );
  const to = withQuery(withoutDraft(page ?? `/${area}`), { draft: draft?.id ?? '' });
  return { to, headers: draft?.cookie ? { 'set-cookie': draft.cookie } : {} };
}

/**
 * Removes an older draft from the address, because a page reads only the first draft in it. If the user must sign in,
 * the field `to` contains the address.
 */
function withoutDraft(page: string): string {
  const [path = '', query] = page.split('?');
  const searchParams = new URLSearchParams(query);
  if (!searchParams.has('draft')) return page;
  searchParams.delete('draft');
  return withQuery(path, Object.fromEntries(searchParams));
}

/** Error page that has no link to the form's page. */
function refusal(submission: Submission, words: Words): Answer {
  if (isScripted(submission))
    return json(words.status, { message: wordsFor(submission).told(words.message) });
  const link = { href: submission.page ?? `/${submission.area}`, label: 'account.open_again' } as const;
  return pageOf(words, { requestId: submission.request.requestId, link }, {}, submission);
}

type Page = Parameters<typeof renderPage>[0];

function pageOf(
  { status, heading, message }: Words,
  more: Partial<Page>,
  headers: Headers,
  { words, request }: Submission,
): Answer {
  const frameWords = inTheme(words ?? pageWordsOf('en'), request.headers['cookie']);
  const page = renderPage({ title: heading, heading, message, ...more }, frameWords);
  const nonce = more.codes && { nonce: more.codes.nonce };
  return html(status, page, { https: settings().secureCookies, headers, ...nonce, ...(words && { words }) });
}

type Params = { params: Promise<{ form: string }> };

/** The handlers of an area's submit addresses: POST, and 405 for every other method. */
export function submitHandlers(area: Area, forms: Forms) {
  const POST = async (request: Request, { params }: Params): Promise<Response> => {
    const plain = plainRequest(request);
    const answered = await answerAtHost(plain);
    if (answered) return webResponse(answered);
    const { form } = await params;
    const submission: Submission = {
      area,
      form,
      request: plain,
      fields: null,
      actor: null,
      page: null,
      labels: (Object.hasOwn(forms, form) && forms[form]?.labels) || {},
      words: wordsOfPage(`/${area}`, plain.headers),
    };
    const answer = await handle(submission, forms).catch((error: unknown) =>
      respondToError(submission, error),
    );
    answer.headers['x-request-id'] = plain.requestId;
    return webResponse(answer);
  };
  const other = besideIssuers(() => new Response(null, { status: 405, headers: { allow: 'POST' } }));
  return { POST, GET: other, HEAD: other, OPTIONS: other, PUT: other, PATCH: other, DELETE: other };
}

const FORGED: Words = {
  status: 403,
  heading: 'told.forged_heading',
  message: 'told.forged',
};
const REPEATED: Words = {
  status: 409,
  heading: 'told.repeated_heading',
  message: 'told.repeated',
};
const UNKNOWN: Words = {
  status: 404,
  heading: english('Form not found'),
  message: english('Nothing was done. Open the page again.'),
};
const UNAVAILABLE: Words = {
  status: 503,
  heading: 'errors.moment',
  message: 'told.unavailable',
};
const UNREADABLE = english('This form cannot be read');

async function handle(submission: Submission, forms: Forms): Promise<Answer> {
  const { request, area } = submission;
  const why = whyForeignPost(request, settings().baseUrl);
  if (why !== null) {
    const { requestId } = request;
    log().info(
      { request_id: requestId, status: FORGED.status, form: submission.form },
      `posted from elsewhere: ${why}`,
    );
    return refusal(submission, FORGED);
  }
  const form = Object.hasOwn(forms, submission.form) ? forms[submission.form] : undefined;
  if (!form) return refusal(submission, UNKNOWN);
  const takesFile = 'takesFile' in form && form.takesFile === true;
  const cookie = request.headers['cookie'];
  const isOurToken = (formToken: string) => isConsoleFormToken(formToken, cookie, submission.form);
  // uploads are parsed only for signed-in users, and only if the form token that precedes the file is valid
  if (takesFile && !(await readConsoleActor(cookie, requestFacts(request))))
    return refusal(submission, FORGED);
  const fields = await readFields(request, takesFile ? isOurToken : null);
  if (fields === 'forged') return refusal(submission, FORGED);
  if (!fields)
    return refusal(submission, {
      status: 415,
      heading: UNREADABLE,
      message: english('The request is not a form. Nothing was done.'),
    });
  const pageLanguage = pageWords(request.headers, fields.text('interaction')).language;
  const facts = { ...requestFacts(request), pageLanguage };
  const { id: requestId, ip } = facts;
  const userAgent = request.headers['user-agent'] ?? null;
  const browser = { cookieHeader: cookie, userAgent, requestId, ip, pageLanguage };
  const context: Context = { area, browser };
  submission.fields = fields;
  const token = fields.one('anti_forgery');
  const isOurs = await isOurToken(token);
  if (form.public === true) {
    submission.page = form.page(fields, context);
    submission.words = wordsOfPage(submission.page, request.headers);
    if (!isOurs) return respond(submission, { kind: 'refused', status: 403, told: 'account.too_old' });
    // the form's token can be reused: a second run does no harm, and strangers could otherwise fill the table of used
    // tokens
    return respond(submission, await form.run(fields, context));
  }
  const visitor = await readConsoleVisitor(cookie, facts);
  if (!visitor || !isOurs) return refusal(submission, FORGED);
  if (form.public === 'half') {
    if (visitor.kind !== 'unfinished') return refusal(submission, FORGED);
    submission.page = form.page(fields, context);
    submission.words = wordsOfPage(submission.page, request.headers, visitor.locale);
    return runOnce(submission, token, () => form.run(visitor, fields, context));
  }
  if (visitor.kind !== 'person') return refusal(submission, FORGED);
  submission.actor = visitor;
  submission.page = form.page(fields, context);
  submission.words = wordsOfPage(submission.page, request.headers, visitor.locale);
  if (form.repeats === true) return respond(submission, await form.run(visitor, fields, context));
  return runOnce(submission, token, () => form.run(visitor, fields, context));
}

const STAYS: ReadonlySet<Outcome['kind']> = new Set(['confirm', 'refused', 'tested']);

/** A token works once. A form that was rejected, tested or not confirmed can be sent again. */
async function runOnce(submission: Submission, token: string, run: () => Promise<Outcome>): Promise<Answer> {
  if (!(await claimForm(token))) return refusal(submission, REPEATED);
  const outcome = await run().catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });
  if (outcome instanceof Refused || STAYS.has(outcome.kind)) await releaseForm(token);
  return respond(submission, outcome);
}

function whyUnreadable(error: UnreadableParams | UnstorableValue): EnglishSentence {
  if (error instanceof UnstorableValue)
    return english('The form contains characters that cannot be stored. Nothing was done.');
  return error.status === 413
    ? english('The form is too large: a file can have at most {most} bytes. Nothing was done.', {
        most: MAX_LOGO_BYTES,
      })
    : english('The form arrived damaged. Nothing was done: send it again.');
}

async function respondToError(submission: Submission, error: unknown): Promise<Answer> {
  if (error instanceof Refused)
    return respond(submission, error).catch((then: unknown) => respondToError(submission, then));
  if (error instanceof UnreadableParams || error instanceof UnstorableValue) {
    const { requestId } = submission.request;
    log().info({ request_id: requestId, form: submission.form, reason: error.message }, 'an unreadable form');
    const status = error instanceof UnreadableParams ? error.status : 400;
    return refusal(submission, { status, heading: UNREADABLE, message: whyUnreadable(error) });
  }
  const { requestId } = submission.request;
  log().error({ err: error, request_id: requestId, form: submission.form }, 'a form of the console failed');
  return refusal(submission, UNAVAILABLE);
}
