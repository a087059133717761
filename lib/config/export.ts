// Exports the database’s configuration without secrets, in the format of `apply`. Applying the export changes nothing.
import { stringify } from 'yaml';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { BUILT_IN_API, type Decidable, decidesFor } from '#lib/catalogue/apis/definition.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { powersOf, stateWhenRequested, termsByColumn } from '#lib/catalogue/subscriptions/definition.ts';
import { loadRegistry, type RegistryRows } from '#lib/store/configuration.ts';
import { database } from '#lib/store/prisma.ts';
import { type BrandInFile, brandsInFile } from './brands.ts';
import { apiFields, clientFields } from './plan.ts';

type Entry = Record<string, unknown>;

export async function exportConfiguration(): Promise<string> {
  const registry = await loadRegistry(database());
  return renderConfiguration(registry, await brandsInFile([...registry.apis, ...registry.clients]));
}

function renderConfiguration(registry: RegistryRows, brandOf: BrandInFile): string {
  const people = registry.people.map(
    ({ email, name, roles, groupsByHand, managed, disabled, emailVerified }) =>
      withoutNothing({
        email,
        name: name || undefined,
        roles,
        groups: managed ? groupsByHand : undefined,
        email_verified: emailVerified || undefined,
        disabled: disabled || undefined,
      }),
  );
  const left: string[] = [];
  const subscriptions = registry.subscriptions.flatMap((row) => {
    const entry = subscriptionEntry(registry, row);
    if (entry === null) left.push(`#   ${row.clientId} to ${row.api}: ${row.state}`);
    return entry === null ? [] : [entry];
  });
  const document = {
    auth_methods: registry.authMethods.map((row) =>
      withoutNothing({
        id: row.id,
        type: row.type,
        name: row.name,
        ...row.config,
        callback: methodCan(row, 'redirects') ? ownCallbackUris(row.id)[0] : undefined,
      }),
    ),
    groups: registry.groups.map(({ id, name, from }) => withoutNothing({ id, name, from })),
    apis: registry.apis
      .filter((api) => api.id !== BUILT_IN_API)
      .map((api) => withoutNothing({ id: api.id, ...apiFields(api), brand: brandOf(api) })),
    clients: registry.clients.map((client) => clientEntry(client, brandOf)),
    subscriptions,
    users: people,
  };
  const note = '# Exported by Gatehouse, without secrets and passwords. Applying it does not change them.\n';
  const rest =
    left.length === 0
      ? ''
      : `# Omitted, because applying them to another service would approve them:\n${left.join('\n')}\n`;
  return note + rest + stringify(document, { lineWidth: 110, compat: 'yaml-1.1' });
}

function clientEntry(client: RegistryRows['clients'][number], brandOf: BrandInFile): Entry {
  const isConfidential = client.kind === 'confidential';
  return withoutNothing({
    client_id: client.clientId,
    ...clientFields(client),
    brand: brandOf(client),
    application_type: isConfidential ? undefined : client.kind,
    confidential: isConfidential || undefined,
    disabled: client.disabled || undefined,
  });
}

/**
 * `null`: the export omits the subscription. It was stopped, or is undecided, and if the file contained it, a
 * database that applies the file would approve it.
 */
function subscriptionEntry(registry: RegistryRows, row: RegistryRows['subscriptions'][number]): Entry | null {
  const api = registry.apis.find((apiRow) => apiRow.id === row.api);
  const powers = { ...powersOf(row), requireApproval: api?.requireApproval === true };
  const undecided = row.state === 'pending' && row.clientOrigin === 'registration' && !row.managed;
  const stopped = undecided || (row.state !== 'approved' && row.state !== 'pending');
  if (stopped && stateWhenRequested(powers) === 'approved') return null;
  const scopeNames = new Set(api?.scopes.map((scope) => scope.name));
  return withoutNothing({
    client_id: row.clientId,
    api: row.api,
    scopes: row.scopes.filter((scope) => scopeNames.has(scope) || (row.device && scope === 'offline_access')),
    trusted: row.trusted || undefined,
    machine: row.machine || undefined,
    device: row.device || undefined,
    ...termsByColumn(row),
    approved_by:
      row.state === 'approved'
        ? approverOf(registry, row.decidedByEmail, { api: row.api, approvers: api?.approvers ?? [] })
        : undefined,
  });
}

function approverOf(registry: RegistryRows, email: string | null, decidable: Decidable): string | undefined {
  const person = registry.people.find((row) => row.email === email);
  if (!person || person.disabled) return undefined;
  return decidesFor(person, decidable) ? person.email : undefined;
}

function withoutNothing(entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry).filter(
      ([, value]) => value !== undefined && value !== null && value !== '' && !isEmpty(value),
    ),
  );
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
