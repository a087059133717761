// `npm run bench -- --peers`: Gatehouse beside other authorization servers. Each peer has an empty database on the same
// PostgreSQL. The servers take turns in each round, because the machine's speed changes.
import { measure } from '../measure.ts';
import { pin, residentMegabytes } from '../meters.ts';
import type { Options, PeerName } from '../options.ts';
import { rotateList, say } from '../report.ts';
import { prepareWorld, type World } from '../world.ts';
import { hydra } from './hydra.ts';
import { keycloak } from './keycloak.ts';
import { type Load, prepareLoad } from './load.ts';
import { betterAuth, gatehouse, oidcProvider } from './node-servers.ts';
import { Missing, PEER_SCENARIOS, type Peer, type PeerScenario, type Running } from './peer.ts';
import { type PeerResults, peerTable } from './table.ts';

const MODULES: Record<PeerName, Peer> = {
  gatehouse,
  'oidc-provider': oidcProvider,
  'better-auth': betterAuth,
  keycloak,
  hydra,
};

/** Stored tokens of Gatehouse and node-oidc-provider before the run: one for each user with a session. */
const TOKENS = 1_000;

type Started = PeerResults['servers'][number] & { running: Running; load: Load };

/** Measures the peers. Sets the exit status if a peer or a response fails. */
export async function measurePeers(
  options: Options & { peers: PeerName[] },
  { core, otherCore, commit }: { core: number | null; otherCore: number; commit: string },
): Promise<PeerResults> {
  const { rounds, seconds, folder } = options;
  const results: PeerResults = {
    rounds,
    seconds,
    pinned: core !== null,
    commit,
    servers: [],
    skipped: [],
    runs: [],
  };
  const installed = await installPeers(options.peers, results);
  const world = await prepareWorld(folder, TOKENS, options.clients, installed.includes('oidc-provider'));
  if (core !== null) pin(world.postmaster, otherCore);
  const started: Started[] = [];
  try {
    for (const peer of installed) {
      const server = await attempt(peer, results, () => startPeer(peer, world, { folder, core }, options));
      if (server) started.push(server);
    }
    const warm: Started[] = [];
    for (const server of started)
      if (await attempt(server.peer, results, () => measureWarmUp(server, world, options))) warm.push(server);
    const measured = await measureRounds(warm, world, options, results);
    for (const { running, load, ...server } of measured) {
      server.memory.loaded = residentMegabytes(running.pid);
      results.servers.push(server);
      for (const scenario of PEER_SCENARIOS) {
        const reason = load.scenarios[scenario];
        if (typeof reason === 'string') results.skipped.push({ ...named(server.peer), scenario, reason });
      }
    }
  } finally {
    await Promise.allSettled(started.map(({ running }) => running.stop()));
    await world.stop();
  }
  say(`\n${peerTable(results)}`);
  if (results.runs.some(({ errors }) => errors > 0)) process.exitCode = 1;
  return results;
}

const named = (peer: PeerName) => ({ peer, title: MODULES[peer].title });

/** Runs one step of a peer. After an error, the peer is skipped; an error other than a missing program is a failure. */
async function attempt<T>(peer: PeerName, results: PeerResults, step: () => Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Missing)) process.exitCode = 1;
    const reason = (error as Error).message;
    say(`${MODULES[peer].title} is skipped: ${reason}`);
    results.skipped.push({ ...named(peer), scenario: null, reason });
    return null;
  }
}

async function installPeers(peers: PeerName[], results: PeerResults): Promise<PeerName[]> {
  const installed: PeerName[] = [];
  for (const peer of peers) {
    say(`installing ${MODULES[peer].title} unless it is installed …`);
    const done = await attempt(peer, results, async () => {
      await MODULES[peer].install();
      return true;
    });
    if (done) installed.push(peer);
  }
  return installed;
}

async function startPeer(
  peer: PeerName,
  world: World,
  setup: { folder: string; core: number | null },
  { callers }: Options,
): Promise<Started> {
  say(`starting ${MODULES[peer].title} …`);
  const running = await MODULES[peer].start({ world, ...setup });
  try {
    const { version, startMs } = running;
    const memory = { atRest: residentMegabytes(running.pid), loaded: Number.NaN };
    const load = await prepareLoad(running, callers);
    return { ...named(peer), version, startMs, memory, warmUpSeconds: 0, running, load };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

const MOST_WARM_UPS = 24;
/** A server is warm if its throughput grew by less than this share. */
const GAIN = 1.03;

/** True if none of the last three measurements is clearly faster than the best one before them. */
export function isWarm(rates: number[]): boolean {
  if (rates.length < 4) return false;
  return Math.max(...rates.slice(-3)) < Math.max(...rates.slice(0, -3)) * GAIN;
}

/**
 * Sends all kinds of requests in turn until the throughput of none grows. A JVM needs minutes for this, because it
 * compiles its code meanwhile.
 */
async function measureWarmUp(server: Started, world: World, { callers, seconds }: Options): Promise<true> {
  await server.load.renew();
  const loads = PEER_SCENARIOS.flatMap((scenario) => {
    const load = server.load.scenarios[scenario];
    return typeof load === 'string' ? [] : [{ scenario, load, rates: [] as number[] }];
  });
  for (let turn = 0; turn < MOST_WARM_UPS && !loads.every(({ rates }) => isWarm(rates)); turn += 1)
    for (const { scenario, load, rates } of loads) {
      const count = limitCallers(server, scenario, callers);
      const window = { callers: count, seconds, warmUpSeconds: 0 };
      await server.running.prepareMeasurement?.();
      const measured = await measure(targetOf(server, scenario), load, world, window);
      if (measured.firstError !== null) say(`${server.title}, ${scenario}: ${measured.firstError}`);
      rates.push(measured.requestsPerSecond);
      server.warmUpSeconds += seconds;
    }
  for (const { scenario, rates } of loads)
    say(
      `warm-up  ${server.title}, ${scenario}: ${rates.map((rate) => rate.toFixed(0)).join(', ')}/s${isWarm(rates) ? '' : ', still faster at the end'}`,
    );
  return true;
}

const limitCallers = ({ running }: Started, scenario: PeerScenario, callers: number) =>
  Math.min(callers, running.mostCallers?.[scenario] ?? callers);

const targetOf = ({ running }: Started, scenario: PeerScenario) => ({
  pid: running.pid,
  port:
    scenario === 'introspect' && typeof running.introspection !== 'string'
      ? (running.introspection.port ?? running.port)
      : running.port,
});

/** Returns the servers that answered until the end. The runs of another server are removed. */
async function measureRounds(
  started: Started[],
  world: World,
  { rounds, seconds, callers }: Options,
  results: PeerResults,
): Promise<Started[]> {
  let alive = started;
  const keep = async (server: Started, step: () => Promise<void>) => {
    const done = await attempt(server.peer, results, async () => {
      await step();
      return true;
    });
    if (done) return;
    alive = alive.filter((other) => other !== server);
    results.runs = results.runs.filter(({ peer }) => peer !== server.peer);
  };
  for (let round = 1; round <= rounds; round += 1) {
    for (const server of alive) await keep(server, () => server.load.renew());
    for (const scenario of PEER_SCENARIOS)
      for (const most of new Set([1, callers]))
        for (const server of rotateList(alive, round))
          await keep(server, () => measureOnce(server, scenario, most, round));
  }
  return alive;

  async function measureOnce(server: Started, scenario: PeerScenario, most: number, round: number) {
    const load = server.load.scenarios[scenario];
    if (typeof load === 'string') return;
    const count = limitCallers(server, scenario, most);
    const window = { callers: count, seconds };
    await server.running.prepareMeasurement?.();
    const measured = await measure(targetOf(server, scenario), load, world, window);
    results.runs.push({ peer: server.peer, scenario, callers: count, round, ...measured });
    const fault = measured.errors > 0 ? `  ${measured.errors} ERRORS: ${measured.firstError}` : '';
    say(
      `${scenario.padEnd(18)} ${server.title.padEnd(22)} #${round} ${String(count).padStart(3)} callers ${measured.requestsPerSecond.toFixed(0).padStart(6)}/s  p50 ${measured.p50.toFixed(1)} ms  p99 ${measured.p99.toFixed(1)} ms${fault}`,
    );
  }
}
