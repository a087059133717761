// Walks through what is asked of another service, one call after the other: each answer decides what is asked next.
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { type OutboundPolicy, outboundFetch } from '#lib/outbound/fetch.ts';
import type { Probe, ProbeAnswer } from '#lib/registry/methods/kind.ts';
import { answeredWords, oauthErrorOf, objectOf } from './answered.ts';
import { FAILURES, type Failure, networkFailure } from './failures.ts';
import type { TestStep } from './step.ts';

const MOST_MS = 20_000;
const USUAL_MS = 5_000;

export type WalkWith = {
  policy: OutboundPolicy;
  /** what no step may tell */
  secrets?: readonly string[];
};

/** Ends with a step for each probe, also where the time is over. */
export async function walkProbes(probes: readonly Probe[], as: WalkWith): Promise<TestStep[]> {
  const began = performance.now();
  const steps: TestStep[] = [];
  const due = [...probes];
  for (let probe = due.shift(); probe; probe = due.shift()) {
    if (performance.now() - began > MOST_MS) {
      steps.push(notAsked(probe));
      continue;
    }
    const { step, further, next } = await ask(probe, as);
    steps.push(step, ...further);
    due.unshift(...next);
  }
  return steps;
}

const nothing = { sent: null, answered: null, tookMs: null, change: null };

const notAsked = ({ check }: Probe): TestStep => ({
  ...nothing,
  check,
  state: 'skipped',
  found: { text: 'Not asked: the steps before took too long.' },
});

type Asked = { step: TestStep; further: TestStep[]; next: readonly Probe[] };

async function ask(probe: Probe, { policy, secrets = [] }: WalkWith): Promise<Asked> {
  const { check, address, send, redirects = false } = probe;
  const began = performance.now();
  const step = { ...nothing, check, sent: sentWords(probe) };
  const took = () => Math.round(performance.now() - began);
  try {
    const answer = await answerOf(probe, policy, redirects);
    const tookMs = took();
    const answered = answeredWords(answer, policy, secrets);
    if (answer.status >= 500)
      return only({
        ...step,
        state: 'broken',
        answered,
        tookMs,
        found: { text: 'The other service fails: it answers {status}.', values: { status: answer.status } },
        change: { text: 'Look into its log.' },
      });
    const { more = [], next = [], change = null, ...verdict } = probe.judge(answer);
    return {
      step: { ...step, answered, tookMs, ...verdict, change },
      further: more.map((one) => ({ ...nothing, ...one, change: one.change ?? null })),
      next,
    };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    const { hostname, port, protocol } = URL.canParse(address) ? new URL(address) : PLACELESS;
    const values = {
      host: hostname,
      port: port || (protocol === 'http:' ? '80' : '443'),
      seconds: (policy.timeoutMs ?? USUAL_MS) / 1000,
      location: withoutQuery(error.location),
    };
    const { found, change } = FAILURES[callFailure(error)];
    return only({
      ...step,
      state: error.reason === 'too-large' || error.reason === 'redirect' ? 'warning' : 'broken',
      tookMs: took(),
      found: { text: found, values },
      change: { text: change, values },
    });
  }
}

const PLACELESS = { hostname: '…', port: '', protocol: '' };
const only = (step: TestStep): Asked => ({ step, further: [], next: [] });

async function answerOf(
  { address, send }: Probe,
  policy: OutboundPolicy,
  redirects: boolean,
): Promise<ProbeAnswer> {
  const headers = { accept: 'application/json', ...send?.headers };
  try {
    const answer = await outboundFetch(policy)(
      address,
      send ? { method: 'POST', headers, body: send.body } : { headers },
    );
    const body = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      location: null,
      body,
      members: objectOf(body),
      error: oauthErrorOf(body),
    };
  } catch (error) {
    if (!redirects || !(error instanceof OutboundFailed) || error.location === null) throw error;
    return {
      status: 302,
      headers: new Headers(),
      location: error.location,
      body: '',
      members: null,
      error: null,
    };
  }
}

export function callFailure({ reason, cause }: OutboundFailed): Failure {
  if (reason in FAILURES) return reason as Failure;
  return networkFailure((cause as { code?: string } | undefined)?.code ?? '');
}

/** The method, the address without what it asks, and the names of what was sent. */
function sentWords({ address, send }: Probe): string {
  const names = send?.body instanceof URLSearchParams ? ` (${[...send.body.keys()].join(', ')})` : '';
  return `${send ? 'POST' : 'GET'} ${withoutQuery(address)}${names}`;
}

const withoutQuery = (address: string | null): string => {
  if (address === null || !URL.canParse(address)) return '…';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.slice(0, 300);
};
