// Number of workers, computed from files of the kernel, or from given cores and memory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  connectionsOfEach,
  countMemoryKills,
  environmentOfWorkers,
  heapMegabytesOfEach,
  usableMachine,
  workersFor,
} from './workers.ts';

const GB = 1024 ** 3;
const MB = 1024 ** 2;
const has = { cores: 8, memoryBytes: 16 * GB };

let root = '';
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Creates a root folder with these files. */
function rootWith(files: Record<string, string>): string {
  root = mkdtempSync(path.join(tmpdir(), 'gatehouse-machine-'));
  for (const [file, text] of Object.entries(files)) {
    const full = path.join(root, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  return root;
}

/** A machine whose control groups consist of these files. */
const machineWith = (files: Record<string, string>) => usableMachine(rootWith(files), has);

const V2 = { 'proc/self/cgroup': '0::/system.slice/gatehouse.service\n' };
const V1 = {
  'proc/self/cgroup':
    '9:name=systemd:/\n4:memory:/docker/abc\n3:cpuset:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n',
};
const OWN = 'sys/fs/cgroup/system.slice/gatehouse.service';

test.each<[string, Record<string, string>, cores: number, memoryBytes: number]>([
  ['nothing can be read', {}, 8, 16 * GB],
  ['no limit', { ...V2, [`${OWN}/cpu.max`]: 'max 100000\n', [`${OWN}/memory.max`]: 'max\n' }, 8, 16 * GB],
  [
    'a quota and a limit',
    { ...V2, [`${OWN}/cpu.max`]: '200000 100000\n', [`${OWN}/memory.max`]: `${GB}\n` },
    2,
    GB,
  ],
  ['a part of a core', { ...V2, [`${OWN}/cpu.max`]: '50000 100000\n' }, 1, 16 * GB],
  ['one core and a half', { ...V2, [`${OWN}/cpu.max`]: '150000 100000\n' }, 2, 16 * GB],
  [
    'a limit of the slice above',
    { ...V2, 'sys/fs/cgroup/system.slice/cpu.max': '300000 100000', [`${OWN}/cpu.max`]: 'max 100000' },
    3,
    16 * GB,
  ],
  [
    'a container, which sees its own group as the root',
    {
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/cpu.max': '100000 100000\n',
      'sys/fs/cgroup/memory.max': `${512 * MB}`,
    },
    1,
    512 * MB,
  ],
  [
    'version 1',
    {
      ...V1,
      'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us': '400000\n',
      'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us': '100000\n',
      'sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': `${2 * GB}\n`,
    },
    4,
    2 * GB,
  ],
  [
    'version 1 in a container that does not see the host’s path',
    {
      ...V1,
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '100000\n',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': `${GB}\n`,
    },
    1,
    GB,
  ],
  [
    'version 1 without limits',
    {
      ...V1,
      'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us': '-1\n',
      'sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us': '100000\n',
      'sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '9223372036854771712\n',
    },
    8,
    16 * GB,
  ],
  [
    'what is not as it should be',
    {
      'proc/self/cgroup': 'nonsense\n0:/\n0::/../../etc\n',
      'sys/fs/cgroup/cpu.max': 'many 0\n',
      'sys/fs/cgroup/memory.max': '-3\n',
    },
    8,
    16 * GB,
  ],
])('the settings detect cores and memory of a machine with %s', (_, files, cores, memoryBytes) => {
  expect(machineWith(files)).toEqual({ cores, memoryBytes });
});

test('this machine is detected with at least 1 core and 64 MB memory', () => {
  const { cores, memoryBytes } = usableMachine();
  expect(cores).toBeGreaterThanOrEqual(1);
  expect(memoryBytes).toBeGreaterThan(64 * MB);
});

test.each([
  [1, 16 * GB, 1],
  [2, 16 * GB, 2],
  [4, 16 * GB, 4],
  [64, 256 * GB, 4],
  [4, 1088 * MB, 3],
  [4, 1024 * MB, 2],
  [4, 768 * MB, 2],
  [4, 767 * MB, 1],
  [4, 512 * MB, 1],
  [4, 100 * MB, 1],
])(
  'GATEHOUSE_WORKERS: %i cores and %i bytes of memory result in %i workers',
  (cores, memoryBytes, workers) => {
    expect(workersFor({ cores, memoryBytes })).toBe(workers);
  },
);

test.each([
  [2, 768 * MB, 230],
  [2, 2 * GB, 870],
  [4, 512 * MB, 230],
])('of %i workers in %i bytes of memory, each has a heap of %i MB', (workers, memoryBytes, megabytes) => {
  expect(heapMegabytesOfEach(workers, { memoryBytes })).toBe(megabytes);
});

test.each([
  ['version 2', { 'proc/self/cgroup': '0::/a\n', 'sys/fs/cgroup/a/memory.events': 'oom 4\noom_kill 3\n' }, 3],
  [
    'version 2 in a container',
    { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.events': 'oom_kill 2\noom_group_kill 9\n' },
    2,
  ],
  [
    'version 1',
    {
      'proc/self/cgroup': '5:cpu:/b\n4:memory:/a\n',
      'sys/fs/cgroup/memory/a/memory.oom_control': 'under_oom 0\noom_kill 1\n',
      'sys/fs/cgroup/memory/memory.oom_control': 'oom_kill 7\n',
    },
    1,
  ],
  ['no control group', {}, 0],
])('out-of-memory kills of the container are counted: %s', (_, files, kills) => {
  expect(countMemoryKills(rootWith(files))).toBe(kills);
});

test.each<[workers: number, given: number | null, each: number]>([
  [2, null, 5],
  [4, null, 5],
  [2, 10, 5],
  [3, 10, 3],
  [4, 40, 10],
  [4, 6, 2],
  [2, 1, 2],
])('DATABASE_POOL_MAX: %i workers with %s have %i connections each', (workers, given, each) => {
  expect(connectionsOfEach(workers, given)).toBe(each);
});

test('workers receive the supervisor’s database URL and secret, and a share of connections', () => {
  const found = { databaseUrl: 'postgres://embedded/x', secrets: ['new', 'old'] };
  const env = { LOG_LEVEL: 'debug', DATABASE_URL: '', DATABASE_POOL_MAX: '30' };
  expect(environmentOfWorkers(env, found, 3)).toEqual({
    LOG_LEVEL: 'debug',
    DATABASE_URL: 'postgres://embedded/x',
    GATEHOUSE_SECRET: 'new,old',
    GATEHOUSE_WORKERS: '3',
    DATABASE_POOL_MAX: '10',
    // the operator set DATABASE_POOL_MAX, so GATEHOUSE_FOUND does not list it
    GATEHOUSE_FOUND: 'DATABASE_URL,GATEHOUSE_SECRET,GATEHOUSE_WORKERS',
  });
});
