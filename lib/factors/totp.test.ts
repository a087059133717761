import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { HOTP, Secret, URI } from 'otpauth';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { codeFault, describeTotp, newTotp, stepOfCode } from './totp.ts';

const env = { DATABASE_URL: 'postgres://none/x', GATEHOUSE_SECRET: 'A'.repeat(43) };
beforeAll(() => void loadSettings(env));

const STEP_MS = 30_000;
const at = (seconds: number) => new Date(seconds * 1000);
const codeAt = (secret: string, step: number) =>
  HOTP.generate({ secret: Secret.fromBase32(secret), counter: step });
const secretOf = () => new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;

/**
 * The RFC's appendix contains codes of eight digits; a code of six digits consists of the last six (RFC 4226 §5.3).
 */
const VECTORS: [seconds: number, digits: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];
const RFC_SECRET = Secret.fromLatin1('12345678901234567890').base32;

test.for(VECTORS)('RFC 6238 appendix B (SHA-1): at the time %i the code is %s', async ([seconds, digits]) => {
  const step = Math.floor(seconds / 30);
  expect(await stepOfCode(RFC_SECRET, digits.slice(-6), at(seconds))).toBe(step);
});

test('RFC 6238 §5.2: codes one step early or late are accepted, codes two steps away are rejected', async () => {
  const secret = secretOf();
  const now = 58_000_000;
  for (const early of [0, STEP_MS - 1]) {
    const steps = [-2, -1, 0, 1, 2].map((by) =>
      stepOfCode(secret, codeAt(secret, now + by), new Date(now * STEP_MS + early)),
    );
    expect(await Promise.all(steps)).toEqual([null, now - 1, now, now + 1, null]);
  }
});

test('codes that start with zeros have six characters', async () => {
  const secret = secretOf();
  let step = 1_000;
  while (!codeAt(secret, step).startsWith('0')) step += 1;
  const code = codeAt(secret, step);
  expect(await stepOfCode(secret, code, new Date(step * STEP_MS))).toBe(step);
  expect(await stepOfCode(secret, String(Number(code)), new Date(step * STEP_MS))).toBeNull();
});

test('missing codes and codes of every length except six are rejected', async () => {
  const secret = secretOf();
  const code = codeAt(secret, 1_000);
  for (let length = 0; length < 20; length += 1) {
    if (length === 6) continue;
    const typed = code.repeat(4).slice(0, length);
    expect(await stepOfCode(secret, typed, new Date(1_000 * STEP_MS))).toBeNull();
  }
  expect(await stepOfCode(secret, null, new Date(1_000 * STEP_MS))).toBeNull();
});

describe('oathtool, an independent program', () => {
  const run = async (...args: string[]) => {
    try {
      return (await promisify(execFile)('oathtool', args)).stdout.trim();
    } catch (error) {
      const { code, stdout } = error as { code?: string | number; stdout?: string };
      if (code === 'ENOENT') throw new Error('oathtool is missing: apt-get install oathtool');
      return String(stdout ?? '').trim() || 'refused';
    }
  };
  /** Returns the code at that time. If codes are given, returns the offset of the matching time step. */
  const totp = (secret: string, seconds: number, ...given: string[]) =>
    run('--totp', '--base32', '--window=1', '--now', `@${seconds}`, secret, ...given);

  test('oathtool returns codes that Gatehouse accepts, for Gatehouse’s secrets and any time', async () => {
    for (const seconds of [30, 59, 60, 1_800_000_000, 1_800_000_017, 4_102_444_800]) {
      const { secret } = await newTotp({ label: 'ada@example.com' });
      const [code = ''] = (await totp(secret, seconds)).split('\n');
      expect(code).toMatch(/^[0-9]{6}$/);
      expect(await stepOfCode(secret, code, at(seconds))).toBe(Math.floor(seconds / 30));
    }
  });

  test('oathtool accepts and rejects the same codes as Gatehouse, for an app that reads Gatehouse’s address', async () => {
    const { uri, secret } = await newTotp({ label: 'ada@example.com' });
    const app = URI.parse(uri);
    if (app instanceof HOTP) throw new Error('it is an address of HOTP');
    const seconds = 1_800_000_000;
    const code = app.generate({ timestamp: seconds * 1000 });
    expect(await totp(secret, seconds, code)).toBe('0');
    expect(await totp(secret, seconds + 30, code)).toBe('1');
    expect(await totp(secret, seconds + 60, code)).toBe('refused');
    expect(await stepOfCode(secret, code, at(seconds + 30))).toBe(seconds / 30);
    expect(await stepOfCode(secret, code, at(seconds + 60))).toBeNull();
  });
});

describe('an authenticator app that is being set up', () => {
  test('an authenticator app receives a unique secret of 160 bits, shown in groups of four characters', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => newTotp({ label: 'a@b.c' })));
    expect(new Set(all.map(({ secret }) => secret)).size).toBe(50);
    for (const { secret, spelled } of all) {
      expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
      expect(spelled).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
      expect(spelled.replaceAll(' ', '')).toBe(secret);
    }
  });

  test('an authenticator app reads issuer, algorithm, digits, label and secret from the otpauth address, for any account name', async () => {
    for (const label of ['ada@example.com', 'ä: b/ö?&#%', '名前', `${'a'.repeat(242)}@example.com`]) {
      const { uri, secret } = await newTotp({ label });
      const { issuer, algorithm, digits, ...rest } = URI.parse(uri);
      expect({ issuer, algorithm, digits, label: rest.label, secret: rest.secret.base32 }).toEqual({
        issuer: 'Gatehouse',
        algorithm: 'SHA1',
        digits: 6,
        label,
        secret,
      });
      expect(uri).toContain('period=30');
    }
  });

  test('the otpauth label contains the service name, with colons replaced', async () => {
    loadSettings({ ...env, SERVICE_NAME: 'Blue: Harbour & Co' });
    const { uri } = await newTotp({ label: 'ada@example.com' });
    loadSettings(env);
    expect(URI.parse(uri)).toMatchObject({ issuer: 'Blue  Harbour & Co', label: 'ada@example.com' });
  });

  test('the set-up page shows a QR code without scripts or requests, black on white in any theme', async () => {
    const { svg, uri, secret } = await newTotp({ label: '"><script>alert(1)</script>@example.com' });
    expect(svg).toMatch(/^<svg aria-hidden="true" xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    // the picture contains only shapes, so no text or attribute contains the secret
    expect([...svg.matchAll(/<(\/?\w+)/g)].map(([, name]) => name)).toEqual(['svg', 'path', 'path', '/svg']);
    expect(svg).not.toMatch(/script|href|style|url\(|on\w+=/i);
    expect(svg).not.toContain(secret);
    const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
    expect(svg).toContain(
      `<path fill="#ffffff" d="M0 0h${size}v${size}H0z"/><path stroke="#000000" d="M4 4.5h7`,
    );
    expect(await describeTotp({ label: '"><script>alert(1)</script>@example.com', secret })).toMatchObject({
      svg,
      uri,
    });
  });
});

test('a malformed code returns a reason, and a well-formed wrong code returns none', () => {
  for (const code of ['123456', ' 123 456 ', '123-456', '12\u201334\u00a056', '000000'])
    expect(codeFault(code), code).toBeNull();
  for (const code of ['', '12345', '1234567', '12345a', 'ABCD-EFGH', '1'.repeat(10_000)])
    expect(codeFault(code), code).toBe('factor.code_length');
  for (const code of ['١٢٣٤٥٦', '１２３４５６', '12345６', '१२३ ४५६'])
    expect(codeFault(code), code).toBe('factor.code_latin_digits');
});

test('the protocol endpoints load no package that computes codes or draws QR codes, because token requests need neither', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    await import('#lib/oauth/endpoints.ts');
    const { newTotp } = await import('#lib/factors/totp.ts');
    const packages = () => [...new Set(seen.filter((name) => /^(otpauth|qrcode)$/.test(name)))];
    const before = packages();
    await newTotp({ label: 'ada@example.com' });
    console.log(JSON.stringify({ before, after: packages() }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  expect(JSON.parse(stdout)).toEqual({ before: [], after: ['otpauth', 'qrcode'] });
});
