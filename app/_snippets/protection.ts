// Code for operators of an API: it checks tokens, and contains the addresses and names of the API.
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { filledSnippet, type Snippet } from './texts.ts';

type Protection = Omit<Snippet, 'code' | 'language' | 'install'> & {
  file: string;
  install?: (packages: string) => string;
};

/** Each example except nginx equals an example in a README of packages/verify*, and tests run these examples. */
const PROTECTIONS: readonly Protection[] = [
  {
    file: 'protect/express.mjs',
    label: 'Node: gatehouse-verify with Express',
    framework: 'Node',
    install: (packages) => `npm install ${packages}/gatehouse-verify.tgz express`,
  },
  { file: 'protect/nginx.conf', label: 'nginx: forward auth', framework: 'nginx' },
  {
    file: 'protect/fastapi.py',
    label: 'Python: gatehouse_verify.py with FastAPI',
    framework: 'Python',
    install: (packages) => `curl -fO ${packages}/gatehouse_verify.py`,
  },
  {
    file: 'protect/main.go',
    label: 'Go: gatehouse.go with net/http',
    framework: 'Go',
    install: (packages) => `curl -f --create-dirs -o gatehouse/gatehouse.go ${packages}/gatehouse.go`,
  },
  {
    file: 'protect/orders.php',
    label: 'PHP: gatehouse.php',
    framework: 'PHP',
    install: (packages) => `curl -fO ${packages}/gatehouse.php`,
  },
];

export function protectionOf({ id, resourceMetadata, accessTokenFormat, scopes }: PublishedApi): Snippet[] {
  const { here } = resourceMetadata;
  const scope = scopes[0]?.name ?? '';
  const query = scope && `?scope=${encodeURIComponent(scope)}`;
  const verify = here.replace(/\/\.well-known\/.*$/, `/verify/${id}${query}`);
  // the address of the packages that this service serves (delivery/packages.ts)
  const packages = new URL('/packages', here).href;
  const values = {
    metadata: here,
    opaque: accessTokenFormat === 'opaque',
    scope,
    verify,
    secure: verify.startsWith('https:'),
  };
  return PROTECTIONS.map(({ file, install, ...snippet }) => ({
    ...snippet,
    ...filledSnippet(file, values),
    ...(install && { install: install(packages) }),
  }));
}
