// Operations for operators of the service: its state, its numbers, and invalidation after a backup was restored.

import { z } from 'zod';
import { waitingPeople } from '#lib/catalogue/people/registrations.ts';
import { countPending } from '#lib/catalogue/subscriptions/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { VERSION } from '#lib/kit/version.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { storeUsage } from '#lib/observability/metrics.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { shownSettings } from '#lib/settings/shown.ts';
import { countRegistry } from '#lib/store/configuration.ts';
import { type Invalidated, invalidateBefore, invalidateMost } from '#lib/store/endings.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { selectMaintenance, selectQueueLengths } from '#lib/store/service-state.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { CALL_MS, OTHERS } from '#lib/store/usage.ts';
import {
  type UsageCalls,
  type UsageOf,
  type UsageRange,
  type UsageRefusal,
  type UsageStep,
  usageSums,
} from '#lib/store/usage-sums.ts';
import { doctorFinding, examineElsewhere, examineHere } from './doctor.ts';
import { refusalWords } from './inspector.ts';
import { flag } from './lists.ts';
import { one, operation } from './operations.ts';
import { decidableBy, mayDo } from './policy.ts';
import { record } from './record.ts';

// The state of the service: version, health, queues and the present settings. It contains no secret.

const count = z.int();
const text = z.string();

const serviceState = z.strictObject({
  version: text,
  runtime: text.describe('of Node.js'),
  findings: z.array(doctorFinding),
  queues: z.strictObject({
    subscriptions: count.describe('pending requests of clients'),
    registrations: count.describe('people who are waiting for an account'),
    logouts: count.describe('sign-outs that clients have not been notified of'),
    oldestLogout: z.date().nullable(),
    webhook: z
      .strictObject({ waiting: count, failures: count })
      .nullable()
      .describe('undelivered audit events; null: it never ran'),
  }),
  maintenance: z
    .strictObject({
      finishedAt: z.date().nullable(),
      deleted: count,
      complete: z.boolean(),
      failedAt: z.date().nullable(),
      failure: text.nullable(),
    })
    .nullable()
    .describe('the last run of any instance'),
  settings: z.array(
    z.strictObject({
      name: text,
      from: z.enum(['environment', 'start', 'default']),
      secret: z.boolean().describe('the value is set, but not shown'),
      value: text.nullable(),
      means: text,
      unset: text,
    }),
  ),
});
export type ServiceState = z.output<typeof serviceState>;

const serviceFilter = z.strictObject({
  elsewhere: flag.optional().describe('`true`: also calls verifiers, brokers and the service’s own pages'),
});

/** `elsewhere`: the calls can take several seconds. */
export const readService = operation(
  { name: 'readService', right: 'audit.read', shape: serviceFilter, output: one('Service', serviceState) },
  async ({ db }, { elsewhere = false }: z.output<typeof serviceFilter> = {}): Promise<ServiceState> => {
    const [here, there, queues, maintenance] = await Promise.all([
      examineHere(),
      elsewhere ? examineElsewhere() : [],
      selectQueueLengths(db),
      selectMaintenance(db),
    ]);
    return {
      version: VERSION,
      runtime: process.version,
      findings: [...here, ...there],
      queues,
      maintenance,
      settings: shownSettings(),
    };
  },
);

// Numbers on the first page of each console area.

export const overview = z.strictObject({
  /** number of requests that wait for this actor's decision; 0 if the actor cannot decide */
  pending: count,
  /** for administrators, if requested */
  counts: z
    .strictObject({
      apis: count,
      authMethods: count,
      clients: count,
      people: count,
      subscriptions: count,
      sessions: count,
    })
    .nullable(),
});

export const readOverview = operation(
  { name: 'readOverview', right: 'account.read', output: one('Overview', overview) },
  async ({ actor, db }, input: { counts?: boolean } = {}): Promise<z.output<typeof overview>> => ({
    pending:
      (mayDo(actor, 'subscriptions.decide') ? await countPending(db, decidableBy(actor)) : 0) +
      (mayDo(actor, 'people.decide') ? await waitingPeople.count(db) : 0),
    counts: input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null,
  }),
);

// Ends every sign-in, code and token that was issued before a given time. Operators run it after they have restored
// an older backup.

export const invalidateIssued = operation(
  { name: 'invalidateIssued', right: 'people.manage' },
  async ({ actor, db: pool }, input: { before: Date }): Promise<Invalidated> => {
    const most = await invalidateMost(pool, input.before);
    return inTransaction(async (db) => {
      const rest = await invalidateBefore(db, input.before);
      const ended = {
        families: most.families + rest.families,
        codes: most.codes + rest.codes,
        sessions: most.sessions + rest.sessions,
      };
      const details = { before: input.before.toISOString(), ...ended };
      await record(actor, { event: 'service.invalidated', details }, db);
      return ended;
    });
  },
);

// Usage of the service in the last hour, day or week, for operators. Each process stores its sums every minute.

// Texts of errors for operators, who see sums instead of single requests. If the inspector has a text for developers,
// that text is used.

export const USAGE_REFUSALS: Record<string, [title: string, explanation: string]> = {
  unidentified: [
    'Unknown client or redirect_uri',
    'The person saw an error page, and the client was not notified: the client_id was mistyped, or the address is not registered. The requests of the client show the address that was sent.',
  ],
  invalid_request: [
    'The request was malformed',
    'A parameter was missing, repeated or too long. The response and the requests of the client name the parameter.',
  ],
  invalid_client: [
    'Client authentication failed',
    'The client is unknown to this service, or its credentials do not prove its identity.',
  ],
  invalid_grant: [
    'Invalid password, code or token',
    'For passwords, these are usually typing errors. Many errors from few places are guesses, which the limits slow down.',
  ],
  invalid_scope: [
    'A scope that is not allowed',
    'The API does not have this scope, or it exceeds the ceiling of the subscription.',
  ],
  unauthorized_client: [
    'The client is not allowed to make this request',
    'The client has no approved subscription to the API, is not sufficiently trusted, or has no machine subscription.',
  ],
  unsupported_grant_type: [
    'A grant that this issuer does not support',
    'The password grant needs a method that checks passwords.',
  ],
  unsupported_response_type: [
    'A response_type other than code',
    'The authorize address issues only authorization codes.',
  ],
  invalid_token: [
    'Invalid access token',
    'The token had expired, was revoked, or was never issued by this service. Clients receive this error at userinfo.',
  ],
  insufficient_scope: [
    'The scope of the access token is not sufficient',
    'Userinfo requires a token with the scope openid.',
  ],
  invalid_target: [
    'The target of a token exchange was not exactly one API',
    'The request named no known API, several APIs, or an API that does not accept people of this method.',
  ],
};

/** Title and explanation for operators. `error` and `reason`: the values that the counters store. */
function usageWords(error: string, reason: string): { title: string; explanation: string } {
  const [title, explanation] = ownValue(USAGE_REFUSALS, reason) ??
    refusalWords(error, reason) ??
    ownValue(USAGE_REFUSALS, error) ?? [error, null];
  return { title, explanation: explanation ?? '' };
}

const RANGES = {
  hour: { minutes: 5, stepMinutes: 5, steps: 12 },
  day: { minutes: 60, stepMinutes: 60, steps: 24 },
  week: { minutes: 60, stepMinutes: 360, steps: 28 },
} as const;
const ROWS = 10;
const CHOICES = 50;

/** Numbers of one time step: sign-ins by outcome, tokens by grant, and errors. */
type UsageStepView = {
  at: Date;
  signIns: Record<string, number>;
  tokens: Record<string, number>;
  refusals: number;
};

/**
 * An API or method in the usage figures. `name`: the display name, or the id if the object was deleted; `null`:
 * the figures belong to no object, or to all further objects together.
 */
type UsageChoice = { id: string; name: string | null };

export type Usage = {
  /** the complete range, the oldest step first */
  steps: UsageStepView[];
  stepMinutes: number;
  /** the most frequent reason first */
  refusals: (UsageRefusal & { title: string; explanation: string })[];
  /**
   * in milliseconds: upper limits for `half` and `most` (95 %) of the responses; `null`: longer than the largest
   * limit
   */
  calls: (Omit<UsageCalls, 'within'> & UsageChoice & { half: number | null; most: number | null })[];
  /** the API with the most requests first */
  apis: (UsageOf & UsageChoice)[];
  methods: (UsageOf & UsageChoice)[];
  /** options of the filters; `complete`: the list contains all */
  choices: Record<'apis' | 'methods', { options: UsageChoice[]; complete: boolean }>;
  /** values of filters that are not known */
  faults: EnglishSentence[];
};

export const readUsage = operation(
  { name: 'readUsage', right: 'audit.read' },
  async (
    { db },
    input: { range: keyof typeof RANGES; apiId?: string; authMethodId?: string },
  ): Promise<Usage> => {
    // stores the present sums of this process; the sums of other processes can be a minute old
    await storeUsage();
    const { apis, methods } = await currentSnapshot();
    const range = rangeOf(input.range);
    const [steps, refusals, calls, byApi, byMethod] = await Promise.all([
      usageSums.steps(db, range, input),
      usageSums.refusals(db, range, input, ROWS),
      usageSums.calls(db, range, input, ROWS),
      usageSums.by(db, 'api_id', range, input, ROWS),
      usageSums.by(db, 'auth_method_id', range, input, ROWS),
    ]);
    const { apiId = '', authMethodId = '' } = input;
    return {
      steps: everyStep(range, steps),
      stepMinutes: range.stepMinutes,
      refusals: refusals.map((refusal) => ({ ...refusal, ...usageWords(refusal.error, refusal.reason) })),
      calls: calls.map(({ within, ...one }) => ({
        ...one,
        ...usageChoice(one.authMethodId, methods),
        half: limitOf(within, one.answered * 0.5),
        most: limitOf(within, one.answered * 0.95),
      })),
      apis: byApi.map((row) => ({ ...row, ...usageChoice(row.id, apis) })),
      methods: byMethod.map((row) => ({ ...row, ...usageChoice(row.id, methods) })),
      choices: { apis: choicesOf(apis), methods: choicesOf(methods) },
      faults: [
        ...(apiId === '' || apis.has(apiId) ? [] : [english('There is no API {id}.', { id: apiId })]),
        ...(authMethodId === '' || methods.has(authMethodId)
          ? []
          : [english('There is no sign-in method {id}.', { id: authMethodId })]),
      ],
    };
  },
);

/** Returns the range with this name, which ends with the present step. */
function rangeOf(name: keyof typeof RANGES): UsageRange {
  const { minutes, stepMinutes, steps } = RANGES[name];
  const step = stepMinutes * 60_000;
  const until = Math.ceil((now().getTime() + 1) / step) * step;
  return { minutes, stepMinutes, from: new Date(until - steps * step), until: new Date(until) };
}

function everyStep({ from, until, stepMinutes }: UsageRange, counted: UsageStep[]): UsageStepView[] {
  const step = stepMinutes * 60_000;
  const steps = Array.from({ length: (until.getTime() - from.getTime()) / step }, (_, at): UsageStepView => {
    return { at: new Date(from.getTime() + at * step), signIns: {}, tokens: {}, refusals: 0 };
  });
  for (const { at, kind, what, n } of counted) {
    const usageStepView = steps[Math.floor((at.getTime() - from.getTime()) / step)];
    if (!usageStepView) continue;
    if (kind === 'sign-in') usageStepView.signIns[what] = n;
    else if (kind === 'token') usageStepView.tokens[what] = n;
    else usageStepView.refusals += n;
  }
  return steps;
}

/** Returns the first limit below which the wanted number of calls falls. */
function limitOf(within: Record<string, number>, wanted: number): number | null {
  let sum = 0;
  for (const limit of CALL_MS) {
    sum += within[limit] ?? 0;
    if (sum > 0 && sum >= wanted) return limit;
  }
  return null;
}

type Known = ReadonlyMap<string, { id: string; name: DisplayText }>;

const usageChoice = (id: string, objectsById: Known): UsageChoice => ({
  id,
  name: id === '' || id === OTHERS ? null : plainText(objectsById.get(id)?.name ?? id),
});

const choicesOf = (objectsById: Known) => ({
  options: objectsById
    .values()
    .take(CHOICES)
    .map(({ id, name }) => ({ id, name: plainText(name) }))
    .toArray(),
  complete: objectsById.size <= CHOICES,
});
