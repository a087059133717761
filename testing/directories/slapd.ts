// A real OpenLDAP server with people, groups and a password policy, in a separate folder (Debian's slapd).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { certificateFor } from '#testing/net/certificate.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Program } from '#testing/net/program.ts';

const SLAPD = '/usr/sbin/slapd';
export const hasSlapd = existsSync(SLAPD) && existsSync('/usr/bin/ldapadd');

export const BASE = 'dc=corp,dc=example';
export const ADMIN = { dn: `cn=admin,${BASE}`, password: 'admin-of-the-directory' };
export const SEARCHER = { dn: `cn=gatehouse,${BASE}`, password: 'searcher-of-the-directory' };
export const DIRECTORY_PASSWORD = 'engine-1843';

export const personDn = (uid: string): string => `uid=${uid},ou=people,${BASE}`;

/** Returns the LDIF entry of a person. `more`: additional lines of the entry. */
export const personEntry = (uid: string, more: string[] = []): string =>
  [
    `dn: ${personDn(uid)}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    `cn: ${uid} of the directory`,
    `sn: ${uid}`,
    // the attribute `mail` permits only ASCII (RFC 4524 §2.16)
    ...(/^[a-z]+$/.test(uid) ? [`mail: ${uid}@corp.example`] : []),
    `userPassword: ${DIRECTORY_PASSWORD}`,
    ...more,
  ].join('\n');

export const groupEntry = (name: string, members: string[]): string =>
  [
    `dn: cn=${name},ou=groups,${BASE}`,
    'objectClass: groupOfNames',
    `cn: ${name}`,
    ...members.map((member) => `member: ${member}`),
  ].join('\n');

const base = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: corp\no: Corp`,
  ...['people', 'groups', 'policies'].map(
    (ou) => `dn: ou=${ou},${BASE}\nobjectClass: organizationalUnit\nou: ${ou}`,
  ),
  `dn: ${SEARCHER.dn}\nobjectClass: applicationProcess\nobjectClass: simpleSecurityObject\ncn: gatehouse\nuserPassword: ${SEARCHER.password}`,
  `dn: cn=usual,ou=policies,${BASE}\nobjectClass: person\nobjectClass: pwdPolicy\ncn: usual\nsn: usual\npwdAttribute: userPassword\npwdMaxFailure: 3\npwdLockout: TRUE\npwdLockoutDuration: 600\npwdMustChange: TRUE`,
].join('\n\n');

export type Slapd = {
  port: number;
  tlsPort: number;
  /** certificate of the CA that issued the server certificate for localhost */
  ca: string;
  add: (...entries: string[]) => void;
  modify: (ldif: string) => void;
  stop: () => Promise<void>;
  start: () => Promise<void>;
  close: () => Promise<void>;
};

/** Starts OpenLDAP. `name`: host name in the server's certificate. */
export async function startSlapd({ name = 'localhost' } = {}): Promise<Slapd> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-slapd-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { key, cert } = certificateFor(name);
  const file = (called: string, text: string) => {
    writeFileSync(path.join(folder, called), text);
    return path.join(folder, called);
  };
  mkdirSync(path.join(folder, 'data'));
  const conf = file(
    'slapd.conf',
    `
${['core', 'cosine', 'inetorgperson'].map((schema) => `include /etc/ldap/schema/${schema}.schema`).join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
pidfile ${folder}/pid
TLSCertificateFile ${file('cert.pem', cert)}
TLSCertificateKeyFile ${file('key.pem', key)}
allow bind_anon_dn
database mdb
suffix "${BASE}"
rootdn "${ADMIN.dn}"
rootpw ${ADMIN.password}
directory ${folder}/data
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by * read
overlay memberof
overlay ppolicy
ppolicy_default "cn=usual,ou=policies,${BASE}"
ppolicy_use_lockout
`,
  );
  const addresses = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
  const ldap = (program: string, input: string) => {
    const args = [
      '-x',
      '-H',
      `ldap://127.0.0.1:${port}`,
      '-D',
      ADMIN.dn,
      '-w',
      ADMIN.password,
      '-e',
      'relax',
    ];
    const { status, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const program = new Program({
    // with `-d`, the server does not detach from this process
    command: [SLAPD, '-d', '0', '-f', conf, '-h', addresses],
    env: process.env,
    log: path.join(folder, 'log'),
    answers: async () =>
      spawnSync('ldapsearch', ['-x', '-H', `ldap://127.0.0.1:${port}`, '-s', 'base', '-b', '']).status === 0,
  });
  await program.start();
  ldap('ldapadd', base);
  return {
    port,
    tlsPort,
    ca: cert,
    add: (...entries) => ldap('ldapadd', entries.join('\n\n')),
    modify: (ldif) => ldap('ldapmodify', ldif),
    stop: () => program.kill(),
    start: async () => {
      await program.start();
    },
    close: async () => {
      await program.kill();
      rmSync(folder, { recursive: true });
    },
  };
}
