// Writing authentication methods and APIs. The registry's version follows by trigger.
import { endMethodTokens, endTokens } from './endings.ts';
import type { Db } from './registry-db.ts';

/** `sealedSecret` undefined leaves what is stored. */
export async function upsertMethod(
  db: Db,
  method: { id: string; type: string; name: string; config: object; sealedSecret: string | undefined },
): Promise<void> {
  const { id, type, name, config } = method;
  const sealedSecret = type === 'local' ? null : method.sealedSecret;
  const data = { type, name, config, ...(sealedSecret !== undefined && { sealedSecret }) };
  await db.orm((prisma) =>
    prisma.authMethod.upsert({ where: { id }, create: { id, ...data }, update: data }),
  );
}

/** The method now asks somebody else: who signed in with it before is not who signs in with it from here on. */
export async function forgetIdentities(db: Db, authMethodId: string): Promise<void> {
  await db.orm((prisma) => prisma.externalIdentity.deleteMany({ where: { authMethodId } }));
  await db.query({
    text: 'update sessions set ended_at = now() where auth_method_id = $1 and ended_at is null',
    values: [authMethodId],
  });
  await endMethodTokens(db, authMethodId);
}

export type ApiValues = {
  id: string;
  name: string;
  description: string;
  url: string;
  access_token_ttl: number;
  access_token_format: string;
  signing_alg: string;
  refresh_token_ttl: number;
  refresh_family_ttl: number;
  require_redirect_uri: boolean;
  require_scope: boolean;
  require_approval: boolean;
  approvers: string[];
};

export async function upsertApi(db: Db, api: ApiValues): Promise<void> {
  const data = {
    name: api.name,
    description: api.description,
    url: api.url,
    accessTokenTtl: api.access_token_ttl,
    accessTokenFormat: api.access_token_format,
    signingAlg: api.signing_alg,
    refreshTokenTtl: api.refresh_token_ttl,
    refreshFamilyTtl: api.refresh_family_ttl,
    requireRedirectUri: api.require_redirect_uri,
    requireScope: api.require_scope,
    requireApproval: api.require_approval,
    approvers: api.approvers,
  };
  await db.orm((prisma) =>
    prisma.api.upsert({ where: { id: api.id }, create: { id: api.id, ...data }, update: data }),
  );
}

/** URLs are unique: those that move step aside first, so that two APIs can swap theirs. */
export async function setApiUrlsAside(db: Db, ids: string[]): Promise<void> {
  for (const id of ids) {
    await db.orm((prisma) => prisma.api.updateMany({ where: { id }, data: { url: `moving:${id}` } }));
  }
}

export async function setIntrospectionSecret(db: Db, id: string, hash: Buffer): Promise<void> {
  const introspectionSecretHash = new Uint8Array(hash);
  await db.orm((prisma) => prisma.api.updateMany({ where: { id }, data: { introspectionSecretHash } }));
}

export async function replaceScopes(
  db: Db,
  apiId: string,
  scopes: { name: string; description: string }[],
): Promise<void> {
  const names = scopes.map((scope) => scope.name);
  await db.orm(async (prisma) => {
    await prisma.apiScope.deleteMany({ where: { apiId, name: { notIn: names } } });
    for (const [position, { name, description }] of scopes.entries()) {
      await prisma.apiScope.upsert({
        where: { apiId_name: { apiId, name } },
        create: { apiId, name, description, position },
        update: { description, position },
      });
    }
  });
}

/** The tokens of a combination that is taken away end. */
export async function replaceCombinations(db: Db, apiId: string, methods: string[]): Promise<void> {
  const gone = await db.query<{ method: string }>({
    text: 'delete from combinations where api_id = $1 and auth_method_id <> all ($2) returning auth_method_id as method',
    values: [apiId, methods],
  });
  for (const { method } of gone) {
    await endTokens(db, { apiId, authMethodId: method }, 'combination removed');
  }
  await db.orm(async (prisma) => {
    for (const [position, authMethodId] of methods.entries()) {
      await prisma.combination.upsert({
        where: { authMethodId_apiId: { authMethodId, apiId } },
        create: { authMethodId, apiId, position },
        update: { position },
      });
    }
  });
}

/**
 * What the file names is the file's from here on, in the file's order; no change that anybody would see. The orders and
 * the pairs are SQL: one statement a table, however long the file.
 */
export async function adopt(
  db: Db,
  named: {
    methods: string[];
    apis: string[];
    clients: string[];
    emails: string[];
    subscriptions: [string, string][];
  },
): Promise<void> {
  for (const [table, ids] of [
    ['auth_methods', named.methods],
    ['apis', named.apis],
  ] as const) {
    await db.query({
      text: `update ${table} t set managed = true, position = o.position::int - 1
        from unnest($1::text[]) with ordinality as o (id, position)
        where t.id = o.id and (not t.managed or t.position <> o.position::int - 1)`,
      values: [ids],
    });
  }
  const data = { managed: true };
  await db.orm(async (prisma) => {
    await prisma.client.updateMany({ where: { clientId: { in: named.clients }, managed: false }, data });
    await prisma.person.updateMany({ where: { email: { in: named.emails }, managed: false }, data });
  });
  await db.query({
    text: `update subscriptions s set managed = true from unnest($1::text[], $2::text[]) as o (client_id, api_id)
      where s.client_id = o.client_id and s.api_id = o.api_id and not s.managed`,
    values: [named.subscriptions.map(([client]) => client), named.subscriptions.map(([, api]) => api)],
  });
}
