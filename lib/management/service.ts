// The service for its operators: state, numbers, and invalidation after a backup was restored.

import { now } from '#lib/kit/clock.ts';
import { VERSION } from '#lib/kit/version.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { storeUsage } from '#lib/observability/metrics.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { type ShownSetting, shownSettings } from '#lib/settings/shown.ts';
import { countRegistry, type RegistryCounts } from '#lib/store/configuration.ts';
import { type Invalidated, invalidateBefore, invalidateMost } from '#lib/store/endings.ts';
import { waitingPeople } from '#lib/store/person-registrations.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import {
  type MaintenanceRun,
  type QueueLengths,
  selectMaintenance,
  selectQueueLengths,
} from '#lib/store/service-state.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { countPending } from '#lib/store/subscriptions.ts';
import { CALL_MS, OTHERS } from '#lib/store/usage.ts';
import {
  type UsageCalls,
  type UsageOf,
  type UsageRange,
  type UsageRefusal,
  type UsageStep,
  usageSums,
} from '#lib/store/usage-sums.ts';
import { examineElsewhere, examineHere, type Finding } from './doctor.ts';
import { refusalWords } from './inspector.ts';
import { operation } from './operations.ts';
import { decidableBy, mayDo } from './policy.ts';
import { record } from './record.ts';

// The state of the service: version, health, queues and the current settings. It contains no secret.

export type ServiceState = {
  version: string;
  /** of Node.js */
  runtime: string;
  findings: Finding[];
  queues: QueueLengths;
  maintenance: MaintenanceRun | null;
  settings: ShownSetting[];
};

/** `elsewhere`: also calls verifiers, brokers and Gatehouse pages, which can take several seconds. */
export const readService = operation(
  'readService',
  async ({ db }, { elsewhere = false }: { elsewhere?: boolean | undefined } = {}): Promise<ServiceState> => {
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

// The numbers of the console's first pages.

export type Overview = {
  /** requests waiting for this actor’s decision; 0 without permission */
  pending: number;
  /** for administrators, if requested */
  counts: RegistryCounts | null;
};

export const readOverview = operation(
  'readOverview',
  async ({ actor, db }, input: { counts?: boolean } = {}): Promise<Overview> => ({
    pending:
      (mayDo(actor, 'subscriptions.decide') ? await countPending(db, decidableBy(actor)) : 0) +
      (mayDo(actor, 'people.decide') ? await waitingPeople.count(db) : 0),
    counts: input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null,
  }),
);

// Ends every sign-in, code and token issued before a given time. Operators run it after restoring an older backup.

export const invalidateIssued = operation(
  'invalidateIssued',
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

// Service usage of the last hour, day or week, for operators. Each process stores its sums every minute.

// Error texts for operators, who see sums instead of requests. Inspector texts for developers take precedence.

export const USAGE_REFUSALS: Record<string, [title: string, explanation: string]> = {
  unidentified: [
    'Unknown client or redirect_uri',
    'The person saw an error page, and the client was not notified: the client_id was mistyped, or the address is not registered. The requests of the client show the address that was sent.',
  ],
  invalid_request: [
    'The request was malformed',
    'A parameter was missing, repeated or too long. The response names it, and so do the requests of the client.',
  ],
  invalid_client: [
    'Client authentication failed',
    'The client is unknown here, or its credentials do not prove that it is the client.',
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
    'The client is not allowed to do this here',
    'It has no approved subscription to the API, or no sufficient trust, or no machine subscription.',
  ],
  unsupported_grant_type: [
    'A grant that this issuer does not support',
    'The password grant needs a method that checks passwords.',
  ],
  unsupported_response_type: ['A response_type other than code', 'Only authorization codes are issued here.'],
  invalid_token: [
    'Invalid access token',
    'It had expired, was revoked, or was never issued by this service. Clients receive this error at userinfo.',
  ],
  insufficient_scope: [
    'Insufficient scope of the access token',
    'Userinfo requires a token with the scope openid.',
  ],
  invalid_target: [
    'The target of a token exchange was not exactly one API',
    'The request named no known API, several APIs, or an API that does not accept people of this method.',
  ],
};

/** `error`, `reason`: as they are counted. */
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

/** Numbers by outcome, and by grant. */
type UsageStepView = {
  at: Date;
  signIns: Record<string, number>;
  tokens: Record<string, number>;
  refusals: number;
};

/** An API or method. `name` is its id after deletion, and `null` for none or several. */
type UsageChoice = { id: string; name: string | null };

export type Usage = {
  /** complete range, oldest first */
  steps: UsageStepView[];
  stepMinutes: number;
  /** the most frequent first */
  refusals: (UsageRefusal & { title: string; explanation: string })[];
  /** milliseconds; upper bounds for `half` and `most` (95 %) of the responses; `null`: above the largest bucket */
  calls: (Omit<UsageCalls, 'within'> & UsageChoice & { half: number | null; most: number | null })[];
  /** the busiest first */
  apis: (UsageOf & UsageChoice)[];
  methods: (UsageOf & UsageChoice)[];
  /** filter options; `complete`: list contains all */
  choices: Record<'apis' | 'methods', { options: UsageChoice[]; complete: boolean }>;
  /** unknown filter values */
  faults: EnglishSentence[];
};

export const readUsage = operation(
  'readUsage',
  async (
    { db },
    input: { range: keyof typeof RANGES; apiId?: string; authMethodId?: string },
  ): Promise<Usage> => {
    // stores the current sums of this process; sums of other processes are up to a minute old
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
      apis: byApi.map((one) => ({ ...one, ...usageChoice(one.id, apis) })),
      methods: byMethod.map((one) => ({ ...one, ...usageChoice(one.id, methods) })),
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

/** Ends with the current step. */
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

/** Returns the first bucket limit that covers the wanted number of calls. */
function limitOf(within: Record<string, number>, wanted: number): number | null {
  let sum = 0;
  for (const limit of CALL_MS) {
    sum += within[limit] ?? 0;
    if (sum > 0 && sum >= wanted) return limit;
  }
  return null;
}

type Known = ReadonlyMap<string, { id: string; name: DisplayText }>;

const usageChoice = (id: string, known: Known): UsageChoice => ({
  id,
  name: id === '' || id === OTHERS ? null : plainText(known.get(id)?.name ?? id),
});

const choicesOf = (known: Known) => ({
  options: known
    .values()
    .take(CHOICES)
    .map(({ id, name }) => ({ id, name: plainText(name) }))
    .toArray(),
  complete: known.size <= CHOICES,
});
