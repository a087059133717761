// Cost of JWT verification in an API: packages/verify compared with plain jose, with equal keys and options in one
// run. Short alternating rounds spread disturbances evenly. The result is the median ratio. `npm run bench --
// --verify` exits 1 above 1.2.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { sentToWeb } from '#verify/sent.ts';
import { createIssuer } from '#verify/testing.ts';
import { verifier } from '#verify/verifier.ts';

const ROUNDS = 31;
const CALLS = 300;
const MOST = 1.2;
const API = 'https://api.example/orders';

const issuer = await createIssuer({ api: API, scopes: ['orders:read', 'orders:write'] });
const header = `Bearer ${await issuer.token({ sub: 'alice' })}`;
const token = header.slice(7);
const { iss = '' } = decodeJwt(token);
const keys = createRemoteJWKSet(new URL(`${iss}/jwks`));
const options = { issuer: [iss], audience: API, algorithms: ['ES256'], typ: 'at+jwt' };

const check = verifier({ api: issuer.url })({ scope: 'orders:read' });
const sent = sentToWeb(new Request(API, { headers: { authorization: header } }));

const alone = async () => void (await jwtVerify(token, keys, options));
const withPackage = async () => {
  const { refused } = await check(sent);
  if (refused) throw new Error(`the token is refused: ${refused.status}`);
};

// not measured: both variants run until the JavaScript engine has optimized their code
for (const run of [alone, withPackage, alone, withPackage]) await microseconds(run, CALLS * 3);

const rounds: { jose: number; verify: number }[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  // in every second round, the other variant runs first
  if (round % 2 === 0) {
    const jose = await microseconds(alone, CALLS);
    rounds.push({ jose, verify: await microseconds(withPackage, CALLS) });
  } else {
    const verify = await microseconds(withPackage, CALLS);
    rounds.push({ jose: await microseconds(alone, CALLS), verify });
  }
}
await issuer.close();

const ratio = median(rounds.map(({ jose, verify }) => verify / jose));
process.stdout.write(`
check of a JWT (ES256), ${ROUNDS} rounds of ${CALLS}, medians
  jose alone                 ${median(rounds.map(({ jose }) => jose)).toFixed(1)} µs
  gatehouse-verify     ${median(rounds.map(({ verify }) => verify)).toFixed(1)} µs
  ratio                      ${ratio.toFixed(2)} (at most ${MOST})
`);
process.exit(ratio <= MOST ? 0 : 1);

async function microseconds(run: () => Promise<void>, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await run();
  return ((performance.now() - start) * 1_000) / calls;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
