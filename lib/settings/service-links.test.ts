import { expect, test } from 'vitest';
import { withoutServiceLinks } from './environment.ts';
import { parseSettings } from './settings.ts';
import { startWarnings } from './start-warnings.ts';
import { settingRows } from './table.ts';

const OWN = { GATEHOUSE_SECRET: 'A'.repeat(43), DATABASE_URL: 'postgresql://u:p@db:5432/gatehouse' };
/** For a Service `metrics` with one port, Kubernetes sets these variables in each pod. */
const SERVICE = {
  METRICS_SERVICE_HOST: '10.0.0.7',
  METRICS_SERVICE_PORT: '80',
  METRICS_PORT: 'tcp://10.0.0.7:80',
  METRICS_PORT_80_TCP: 'tcp://10.0.0.7:80',
  METRICS_PORT_80_TCP_PROTO: 'tcp',
  METRICS_PORT_80_TCP_PORT: '80',
  METRICS_PORT_80_TCP_ADDR: '10.0.0.7',
};

test('a Kubernetes Service named metrics sets no port of Gatehouse, and the start warns about it', () => {
  const env = { ...OWN, ...SERVICE };
  const settings = parseSettings(withoutServiceLinks(env));
  expect(settings.metricsPort).toBeNull();
  expect(startWarnings(settings, false, env)).toEqual([
    expect.stringMatching(/^METRICS_PORT is ignored, because .*enableServiceLinks: false/),
  ]);
  expect(startWarnings(settings, false, OWN)).toEqual([]);
});

test.each(settingRows().map(([name]) => name))(
  'the setting %s ignores a value that is the address of a Kubernetes Service',
  (name) => {
    for (const link of ['tcp://10.0.0.7:80', 'udp://[fd00::1]:53', 'sctp://10.0.0.7:9'])
      expect(withoutServiceLinks({ ...OWN, [name]: link })[name]).toBeUndefined();
    expect(withoutServiceLinks({ [name]: '9464' })[name]).toBe('9464');
  },
);

test.each(['"', "'"])(
  'a malformed value in %s quotes causes an error that mentions the quotes, and a valid value causes a start warning',
  (quote) => {
    const quoted = (value: string) => `${quote}${value}${quote}`;
    expect(() => parseSettings({ ...OWN, BASE_URL: quoted('https://login.example') })).toThrow(
      /^BASE_URL .*: remove its quotes, which docker run --env-file keeps$/,
    );
    const env = { ...OWN, SERVICE_NAME: quoted('Harbour'), METRICS_PORT: '9464' };
    expect(startWarnings(parseSettings(env), false, env)).toEqual([
      expect.stringMatching(/^SERVICE_NAME contains quotes/),
    ]);
    for (const SERVICE_NAME of ['Harbour', `Harbour ${quote}7${quote}`, quote]) {
      const plain = { ...OWN, SERVICE_NAME };
      expect(startWarnings(parseSettings(plain), false, plain)).toEqual([]);
    }
  },
);
