// POST /{account,developer,admin}/submit/<form>: the one way in for every form of the console. In this order: from our own
// page, readable, from a session, with that session's token for this form, and for the first time. Then one operation,
// which asks for its own rights.

import { plainRequest, requestFacts, webResponse } from '#app/_plain.ts';
import { type HttpRequest, isSameOriginPost } from '#lib/http/index.ts';
import { log, UnstorableValue } from '#lib/kit/index.ts';
import { type Browser, Refused } from '#lib/management/index.ts';
import { claimForm, isConsoleFormToken, readConsoleActor, releaseForm } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { readFields, UnreadableForm } from './fields.ts';
import type { Area, Context, Forms, Outcome } from './form.ts';
import { type Posted, refusal, respond, type Words } from './respond.ts';

type Params = { params: Promise<{ form: string }> };

/** The handlers of an area's submit addresses: POST, and 405 for everything else. */
export function submitHandlers(area: Area, forms: Forms) {
  const POST = async (request: Request, { params }: Params): Promise<Response> => {
    const plain = plainRequest(request);
    const { form } = await params;
    const posted: Posted = { area, form, request: plain, fields: null, actor: null, page: null };
    const answer = await take(posted, forms).catch((error: unknown) => failed(posted, error));
    answer.headers['x-request-id'] = plain.requestId;
    return webResponse(answer);
  };
  const other = async () => new Response(null, { status: 405, headers: { allow: 'POST' } });
  return { POST, GET: other, HEAD: other, OPTIONS: other, PUT: other, PATCH: other, DELETE: other };
}

const FORGED: Words = {
  status: 403,
  heading: 'This form is no longer valid',
  message:
    'It was sent from another page, another browser or an older sign-in. Nothing was done. Open the page again.',
};
const REPEATED: Words = {
  status: 409,
  heading: 'This was sent already',
  message: 'The form arrived twice, and was taken once. Open the page again to see how things stand.',
};
const TOO_OLD = 'This page was open for too long, or in another browser. Try once more.';
const UNSTORABLE: Words = {
  status: 400,
  heading: 'This form cannot be read',
  message: 'Something in it cannot be stored. Nothing was done. Open the page again.',
};
const UNKNOWN: Words = {
  status: 404,
  heading: 'There is no such form',
  message: 'Nothing was done. Open the page again.',
};

async function take(posted: Posted, forms: Forms) {
  const { request, area } = posted;
  if (!isSameOriginPost(request, settings().baseUrl)) return refusal(posted, FORGED);
  const form = Object.hasOwn(forms, posted.form) ? forms[posted.form] : undefined;
  if (!form) return refusal(posted, UNKNOWN);
  const fields = await readFields(request);
  const context: Context = { area, clients: `/${area}/clients`, browser: browserOf(request) };
  posted.fields = fields;
  const cookie = request.headers['cookie'];
  const token = fields.one('anti_forgery');
  const ours = await isConsoleFormToken(token, cookie, posted.form);
  if ('public' in form) {
    posted.page = form.public.page(fields, context);
    if (!ours) return respond(posted, { kind: 'refused', status: 403, message: TOO_OLD });
    // not noted as sent: nobody is signed in, and a stranger's forms must not fill a table. Done twice, each does no harm
    return respond(posted, await form.public.run(fields, context));
  }
  const actor = await readConsoleActor(cookie, requestFacts(request));
  if (!actor || !ours) return refusal(posted, FORGED);
  posted.actor = actor;
  posted.page = form.page(fields, context);
  return takeOnce(posted, token, () => form.run(actor, fields, context));
}

/** A form works once; one that was refused, or that has to be confirmed, may be sent again. */
async function takeOnce(posted: Posted, token: string, run: () => Promise<Outcome>) {
  if (!(await claimForm(token))) return refusal(posted, REPEATED);
  let outcome: Outcome;
  try {
    outcome = await run();
  } catch (error) {
    if (error instanceof Refused) await releaseForm(token);
    throw error;
  }
  if (outcome.kind === 'confirm' || outcome.kind === 'refused') await releaseForm(token);
  return respond(posted, outcome);
}

function browserOf(request: HttpRequest): Browser {
  const { ip } = requestFacts(request);
  return {
    cookieHeader: request.headers['cookie'],
    userAgent: request.headers['user-agent'] ?? null,
    requestId: request.requestId,
    ip,
  };
}

function failed(posted: Posted, error: unknown) {
  const { requestId } = posted.request;
  if (error instanceof Refused) return respond(posted, error);
  if (error instanceof UnreadableForm) {
    return refusal(posted, {
      status: error.status,
      heading: 'This form cannot be read',
      message: `It is ${error.message}. Nothing was done.`,
    });
  }
  if (error instanceof UnstorableValue) return refusal(posted, UNSTORABLE);
  log().error({ err: error, request_id: requestId, form: posted.form }, 'a form of the console failed');
  return refusal(posted, {
    status: 503,
    heading: 'One moment, please',
    message: 'We could not do this just now. Wait a moment, then send it again.',
  });
}
