// POST /{account,developer,admin}/submit/<form>: the only way to send a form of the console. Checked in this order:
// sent from a page of ours, readable, from a session, with that session's token for this form, and for the first time.
// Then one operation runs, which checks the rights.

import { answerAtHost, besideIssuers } from '#app/_doors/host.ts';
import { plainRequest, requestFacts, webResponse } from '#app/_doors/plain.ts';
import type { Answer } from '#lib/http/message.ts';
import { whyForeignPost } from '#lib/http/navigation.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { log } from '#lib/kit/log.ts';
import { UnstorableValue } from '#lib/kit/text/storable.ts';
import { asSentence, english } from '#lib/language/message.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { pageWords } from '#lib/oauth/pages/page-words.ts';
import {
  claimForm,
  isConsoleFormToken,
  readConsoleActor,
  readConsoleVisitor,
  releaseForm,
} from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { wordsOfPage } from '../_ui/page-language.ts';
import { readFields } from './fields.ts';
import type { Area, Context, Forms, Outcome } from './form.ts';
import { refusal, respond, type Submission, type Words } from './respond.ts';

type Params = { params: Promise<{ form: string }> };

/** The handlers of an area's submit addresses: POST, and 405 for every other method. */
export function submitHandlers(area: Area, forms: Forms) {
  const POST = async (request: Request, { params }: Params): Promise<Response> => {
    const plain = plainRequest(request);
    const answered = await answerAtHost(plain);
    if (answered) return webResponse(answered);
    const { form } = await params;
    const sent: Submission = {
      area,
      form,
      request: plain,
      fields: null,
      actor: null,
      page: null,
      labels: (Object.hasOwn(forms, form) && forms[form]?.labels) || {},
      words: null,
    };
    const answer = await handle(sent, forms).catch((error: unknown) => failed(sent, error));
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
  heading: english('There is no such form'),
  message: english('Nothing was done. Open the page again.'),
};
const UNAVAILABLE: Words = {
  status: 503,
  heading: 'errors.moment',
  message: 'told.unavailable',
};
const UNREADABLE = english('This form cannot be read');

async function handle(sent: Submission, forms: Forms): Promise<Answer> {
  const { request, area } = sent;
  const why = whyForeignPost(request, settings().baseUrl);
  if (why !== null) {
    const { requestId } = request;
    log().info(
      { request_id: requestId, status: FORGED.status, form: sent.form },
      `posted from elsewhere: ${why}`,
    );
    return refusal(sent, FORGED);
  }
  const form = Object.hasOwn(forms, sent.form) ? forms[sent.form] : undefined;
  if (!form) return refusal(sent, UNKNOWN);
  const takesFile = 'takesFile' in form && form.takesFile === true;
  const cookie = request.headers['cookie'];
  const isOurToken = (given: string) => isConsoleFormToken(given, cookie, sent.form);
  // a file is taken apart for who is signed in, and sends the form's token before it
  if (takesFile && !(await readConsoleActor(cookie, requestFacts(request)))) return refusal(sent, FORGED);
  const fields = await readFields(request, takesFile ? isOurToken : null);
  if (fields === 'forged') return refusal(sent, FORGED);
  if (!fields)
    return refusal(sent, {
      status: 415,
      heading: UNREADABLE,
      message: english('It is not a form. Nothing was done.'),
    });
  const pageLanguage = pageWords(request.headers, fields.given('interaction')).language;
  const facts = { ...requestFacts(request), pageLanguage };
  const { id: requestId, ip } = facts;
  const userAgent = request.headers['user-agent'] ?? null;
  const browser = { cookieHeader: cookie, userAgent, requestId, ip, pageLanguage };
  const context: Context = { area, browser };
  sent.fields = fields;
  const token = fields.one('anti_forgery');
  const isOurs = await isOurToken(token);
  if (form.public === true) {
    sent.page = form.page(fields, context);
    sent.words = wordsOfPage(sent.page, request.headers);
    if (!isOurs) return respond(sent, { kind: 'refused', status: 403, told: 'account.too_old' });
    // the token may be used again: strangers must not fill the table of used tokens, and these forms may run twice
    return respond(sent, await form.run(fields, context));
  }
  const visitor = await readConsoleVisitor(cookie, facts);
  if (!visitor || !isOurs) return refusal(sent, FORGED);
  if (form.public === 'half') {
    if (visitor.kind !== 'unfinished') return refusal(sent, FORGED);
    sent.page = form.page(fields, context);
    sent.words = wordsOfPage(sent.page, request.headers, visitor.locale);
    return runOnce(sent, token, () => form.run(visitor, fields, context));
  }
  if (visitor.kind !== 'person') return refusal(sent, FORGED);
  sent.actor = visitor;
  sent.page = form.page(fields, context);
  sent.words = wordsOfPage(sent.page, request.headers, visitor.locale);
  if (form.repeats === true) return respond(sent, await form.run(visitor, fields, context));
  return runOnce(sent, token, () => form.run(visitor, fields, context));
}

const STAYS: ReadonlySet<Outcome['kind']> = new Set(['confirm', 'refused', 'tested']);

/** A token works once; a form that was refused or tested, or that has to be confirmed, may be sent again. */
async function runOnce(sent: Submission, token: string, run: () => Promise<Outcome>): Promise<Answer> {
  if (!(await claimForm(token))) return refusal(sent, REPEATED);
  const outcome = await run().catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });
  if (outcome instanceof Refused || STAYS.has(outcome.kind)) await releaseForm(token);
  return respond(sent, outcome);
}

async function failed(sent: Submission, error: unknown): Promise<Answer> {
  if (error instanceof Refused) return respond(sent, error).catch((then: unknown) => failed(sent, then));
  if (error instanceof UnreadableParams || error instanceof UnstorableValue) {
    const [status, message] =
      error instanceof UnreadableParams
        ? [error.status, english('{why} Nothing was done.', { why: asSentence(error.message) })]
        : [400, english('It holds what cannot be stored. Nothing was done.')];
    return refusal(sent, { status, heading: UNREADABLE, message });
  }
  const { requestId } = sent.request;
  log().error({ err: error, request_id: requestId, form: sent.form }, 'a form of the console failed');
  return refusal(sent, UNAVAILABLE);
}
