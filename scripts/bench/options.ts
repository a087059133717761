// The benchmark's flags.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SCENARIOS = [
  'refresh',
  'refresh-groups',
  'dpop',
  'code',
  'openid-es256',
  'openid-rs256',
  'password',
  'authorize',
  'pushed',
  'sign-in',
  'introspect',
  'forward-auth',
  'metadata',
  'jwks',
  'mixed',
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export const PEERS = ['gatehouse', 'oidc-provider', 'better-auth', 'keycloak', 'hydra'] as const;
export type PeerName = (typeof PEERS)[number];

export type Options = {
  tokens: number;
  clients: number;
  callers: number;
  rounds: number;
  seconds: number;
  scenarios: ScenarioName[];
  targets: string[] | null;
  growth: boolean;
  /** numbers of active tokens for the runs with large tables; empty: these runs are not requested */
  large: number[];
  deletes: boolean;
  /** number of expired rows, for the option `deletes` */
  ended: number;
  registry: boolean;
  batches: boolean;
  cold: boolean;
  console: boolean;
  workers: boolean;
  /** true: compares forward auth with introspection, and measures nothing else */
  verify: boolean;
  /** null: no comparison with other products */
  peers: PeerName[] | null;
  publish: boolean;
  folder: string;
  profile: string | null;
};

const HELP = `npm run bench -- [flags]
  --quick                10,000 tokens, one round of 2 s, nothing kept in bench/results.json
  --tokens N             stored refresh tokens (1,000,000)
  --clients N            clients in the registry (10)
  --callers N            parallel callers (32)
  --rounds N             interleaved rounds (3); the median counts
  --seconds N            length of one measurement (8)
  --scenarios a,b        of ${SCENARIOS.join(', ')}
  --sign-in              only the scenario sign-in, with argon2id's share of it
  --targets a,b          of node, next, floor, floor-next, oidc-provider
  --peers                Gatehouse beside node-oidc-provider, Better Auth, Keycloak (installed by Maven, needs Java 17)
                         and Ory Hydra (HYDRA_BIN names its binary): about forty minutes. A missing peer is skipped
  --peers a,b            only these peers: ${PEERS.join(', ')}
  --growth               10 k, 1 M and 10 M tokens; 10 and 10,000 clients; 1 to 256 callers
  --registry             10 and 100,000 clients: start, memory, what a change costs and slows down
  --batches              1 to 8 shared statements of a kind in flight; refresh, code and authorize
  --cold                 the start of a process until \`/health\` and \`/ready\`, and its first token request
  --console              memory of the Node server while an administrator reads 4,000 pages of the console
  --workers              one worker beside two on all cores, and what an idle one keeps in memory
  --large                CPU of a refresh with 10 k tokens, and with 10 M (or --tokens N): 8 GB, ten minutes
  --huge                 --large, and 50 M too: 45 GB, an hour
  --deletes              p99 of refreshes while 5 M rows that have ended (or --ended N) are deleted
  --lists                the console's lists of 100,000 instead: each must stay under 100 ms
  --verify               an API's check of a token: packages/verify beside jose alone, at most 1.2; then forward auth
                         beside introspection at the Node door, at least 0.8
  --lists --people N     only the list of people, with so many: under 300 ms
  --publish              write bench/results.json and docs/project/performance.svg; then run
                         \`npm run reference\` for docs/project/performance.md
  --folder DIR           where the databases live (.bench)
  --profile TARGET       write a CPU profile of that target's server into the folder`;

const number = (value: string | undefined, otherwise: number) =>
  value === undefined ? otherwise : Number(value);

function largeSizes({ large, huge, tokens }: { large: boolean; huge: boolean; tokens?: string }): number[] {
  if (!large && !huge) return [];
  return [number(tokens, 10_000_000), ...(huge ? [50_000_000] : [])];
}

/** Returns the argument `--peers` with a value: all peers if no name follows. */
const withPeerNames = (argument: string, at: number, all: string[]) =>
  argument === '--peers' && (all[at + 1] ?? '--').startsWith('--') ? `--peers=${PEERS.join(',')}` : argument;

function readPeers({ peers, publish }: { peers?: string; publish: boolean }): PeerName[] | null {
  if (peers === undefined) return null;
  const names = peers.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(PEERS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`no such peer: ${unknown || "''"}; peers: ${PEERS.join(', ')}`);
  if (publish && !PEERS.every((name) => names.includes(name)))
    throw new Error('--publish replaces the whole table of peers: use --peers without names');
  return PEERS.filter((name) => names.includes(name));
}

/** Flags that select another measurement. Only one of them can be measured in a run. */
const MEASUREMENTS = [
  ...['growth', 'large', 'registry', 'batches', 'cold', 'console', 'workers', 'verify', 'sign-in', 'peers'],
];

function requireOneMeasurement(values: Record<string, unknown>): void {
  const selected = MEASUREMENTS.filter((name) => values[name] !== undefined && values[name] !== false);
  if (selected.length > 1)
    throw new Error(`one measurement in a run: omit --${selected.slice(1).join(' and --')}`);
}

/** Null: help was requested. */
export function readOptions(argv: string[]): Options | null {
  const { values } = parseArgs({
    args: argv.map(withPeerNames),
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
      deletes: { type: 'boolean', default: false },
      ended: { type: 'string' },
      registry: { type: 'boolean', default: false },
      batches: { type: 'boolean', default: false },
      cold: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
      workers: { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
      peers: { type: 'string' },
      tokens: { type: 'string' },
      clients: { type: 'string' },
      callers: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      scenarios: { type: 'string' },
      'sign-in': { type: 'boolean', default: false },
      targets: { type: 'string' },
      folder: { type: 'string', default: '.bench' },
      profile: { type: 'string' },
    },
  });
  if (values.help) return null;
  requireOneMeasurement(values);
  const { verify } = values;
  const alone = values['sign-in'] ? ['sign-in'] : verify ? ['introspect', 'forward-auth'] : null;
  const asked = alone ?? values.scenarios?.split(',') ?? SCENARIOS;
  const unknown = asked.find((name) => !(SCENARIOS as readonly string[]).includes(name));
  if (unknown) throw new Error(`no such scenario: ${unknown}`);
  return {
    tokens: number(values.tokens, values.quick || verify ? 10_000 : 1_000_000),
    clients: number(values.clients, 10),
    callers: number(values.callers, 32),
    rounds: number(values.rounds, values.quick ? 1 : 3),
    seconds: number(values.seconds, values.quick ? 2 : 8),
    scenarios: asked as ScenarioName[],
    targets: verify ? ['node'] : (values.targets?.split(',') ?? null),
    growth: values.growth,
    large: largeSizes(values),
    deletes: values.deletes,
    ended: number(values.ended, 5_000_000),
    registry: values.registry,
    batches: values.batches,
    cold: values.cold,
    console: values.console,
    workers: values.workers,
    verify,
    peers: readPeers(values),
    publish: values.publish,
    folder: values.folder,
    profile: values.profile ?? null,
  };
}

// scripts/bench.mjs checks the flags before it builds
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (!readOptions(process.argv.slice(2))) process.stdout.write(`${HELP}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
