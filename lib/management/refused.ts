// Errors of operations: a code with values, a kind for the caller, and an English text.
import type { z } from 'zod';
import type { Arguments, FaultText } from '#lib/kit/fault.ts';
import type { MessageValues } from '#lib/language/message.ts';
import type { EnglishTexts, Key } from '#lib/language/messages/types.ts';
import { inEnglish, isMessage, wordsOf } from '#lib/language/words.ts';
import { type Fault, faultsOf } from '#lib/registry/definition.ts';
import { longText } from '#lib/registry/values.ts';

// Errors for developers, administrators and programs. The command line, the log and programs get English. Console
// pages translate the text. `{name}` stands for a value of the error.

export const FOR_OPERATORS = {
  'account.program': ['forbidden', 'a program does not have its own account'],
  'account.unnamed': ['forbidden', 'only a person has an account: specify a person'],
  'agent.name_of_person': [
    'invalid',
    '{client} has the form of a person’s sub: its own tokens would be mistaken for that person’s tokens',
  ],
  'api.built_in': ['conflict', 'this API is built in and cannot be changed'],
  'api.host_taken': ['conflict', '{host} is already a host of the API {api}'],
  'api.id_taken': ['conflict', '{id} is already used by a client or an API'],
  'api.scope_twice': ['invalid', 'scope {scope} is listed twice'],
  'api.scope_unknown': ['invalid', 'the API {api} has no scope {scope}'],
  'api.unknown': ['not-found', 'there is no API {api}'],
  'api.url_taken': ['conflict', 'another API already has this address'],
  'api.wrong_auto_approve': ['invalid', 'auto_approve {why}'],
  'api.wrong_host': ['invalid', '{why}'],
  'api.wrong_former_issuer': ['invalid', '{why}'],
  'api.former_issuer_taken': ['conflict', '{issuer} is already a former issuer of the API {api}'],
  'api.former_until_past': ['invalid', 'must not be in the past'],
  'audit.unknown_event': ['invalid', '{why}'],
  'audit.unknown_id': ['not-found', 'this event does not exist in the audit log'],
  'changes.hourly': ['slow-down', 'too many changes: wait an hour, then continue'],
  'changes.minutely': ['slow-down', 'too many changes: wait a minute, then continue'],
  'checklist.unknown_step': ['invalid', 'the service detects automatically whether {step} is done'],
  'client.by_document': [
    'conflict',
    '{client} is defined by its document: change the document. In Gatehouse you can decide on the client’s subscriptions and block the client',
  ],
  'client.foreign': ['not-found', '{client} is not one of your clients'],
  'client.itself': ['forbidden', 'a program cannot change itself or its own rights'],
  'client.keys_only': ['conflict', '{client} authenticates by private_key_jwt and has no secret'],
  'client.not_yours': ['not-found', 'you have no client {client}'],
  'client.no_kind': ['invalid', 'Choose where the application runs.'],
  'client.no_redirect': ['invalid', 'Enter the address that people return to after signing in.'],
  'client.overlap': ['invalid', 'the overlap must be a whole number of seconds up to {most}'],
  'client.public': ['conflict', '{client} is a public client and has no secret'],
  'client.secret_gone': ['not-found', 'this secret has already ended'],
  'client.too_many_secrets': ['conflict', '{client} has two secrets: revoke one of them first'],
  'client.unknown': ['not-found', 'there is no client {client}'],
  'client.wrong_sector': ['invalid', 'sector_identifier_uri {why}'],
  'connection.too_many': ['slow-down', 'too many tests in a short time: wait a while, then test again'],
  'decider.administrators': ['forbidden', 'only administrators can decide for the API {api}'],
  'decider.other': ['forbidden', '{actor} is not an approver of this API'],
  'decider.own': [
    'forbidden',
    '{actor} {part, select, requested {asked for this subscription} other {owns this client}}: another person must {action, select, approve {approve it} resume {resume it} other {change it}}',
  ],
  'find.too_many': ['slow-down', 'too many searches in a short time: wait a while, then search again'],
  'find.secret': ['invalid', 'this may be a token or a secret: inspect it with POST /token-inspections'],
  'claim.personal': [
    'invalid',
    'the administrators of {method} do not control {member}, so {claim} proves nothing: choose a claim that they control, or add users to a group manually',
  ],
  'claim.tenant': [
    'invalid',
    '{value} does not name a tenant of {method}: use TENANT_ID/VALUE, because users of several tenants sign in',
  ],
  'claim.weakened': [
    'invalid',
    'the subscription of {client} to {api} requires the claim {claim}. After this change, the claim would prove nothing for users of {method}: first change required_claim of the subscription',
  ],
  'group.id_taken': ['conflict', '{id} is already used by another group'],
  'group.most': ['conflict', 'the limit of {most} groups is reached: delete a group first'],
  'group.most_of_person': ['conflict', 'a person can be added to at most {most} groups manually'],
  'group.named': [
    'conflict',
    'the group is still in the settings of {names}: remove the group from these settings first',
  ],
  'group.only_by_rule': [
    'conflict',
    '{person} is a member because of data from {method}: change the data there, or change the rule',
  ],
  'group.own_people': ['invalid', '{method} provides no data about people: add people manually'],
  'group.unknown': ['not-found', 'there is no group {group}'],
  'import.no_runs': ['not-found', 'there is no import {run}, and no one was imported'],
  'import.unknown_run': ['not-found', 'there is no import {run}: the existing runs are {runs}'],
  'holdings.bytes': [
    'conflict',
    'the clients of one person can have at most {most} bytes of names and addresses in total: delete unused clients, or ask an administrator',
  ],
  'holdings.clients': [
    'conflict',
    'one person can have at most {most} clients: delete unused clients, or ask an administrator',
  ],
  'holdings.program': [
    'slow-down',
    'a program can create at most {most} clients per day: continue tomorrow, or ask an administrator',
  ],
  'holdings.subscriptions': [
    'conflict',
    'the clients of one person can have at most {most} subscriptions in total: delete unused subscriptions, or ask an administrator',
  ],
  'days.turned': ['invalid', 'is before the start date'],
  'days.wrong': ['invalid', 'is not a date: use the format 2026-01-31'],
  'input.faulty': ['invalid', '{why}'],
  'input.unstorable': ['invalid', 'the request contains data that cannot be stored'],
  'input.wrong_text': ['invalid', '{field} {why}'],
  'invitation.addresses': ['invalid', 'must be 1 to {most} addresses'],
  'invitation.gone': ['not-found', 'this invitation was used or withdrawn, or has expired'],
  'invitation.name': ['invalid', 'must be a name of at most 200 characters'],
  'invitation.no_method': [
    'conflict',
    'no one can be invited: this requires a local method with registration set to invite or open',
  ],
  'invitation.other_method': ['invalid', 'must be one of {methods}'],
  'invitation.which_method': ['invalid', 'specify one of the methods {methods}'],
  'key.none_to_retire': ['not-found', 'there is no key {key} to retire'],
  'key.too_many': [
    'conflict',
    'no new key can be created, because the JWKS contains as many keys of {alg} as it can ({most}): wait until a key leaves the JWKS, or retire a key',
  ],
  'key.unknown': ['not-found', 'there is no key {key}'],
  'logo.none': ['not-found', '{whose} has no logo'],
  'logo.not_stored': ['invalid', 'brand.logo is not a picture stored here: upload the picture'],
  'logo.wrong': ['invalid', 'the picture {why}'],
  'logo.waits': ['slow-down', 'Other pictures are being rendered. Try again in a moment.'],
  'mail.unknown': ['not-found', 'there is no mail {mail}'],
  'method.id_taken': ['conflict', '{id} is already used by another method'],
  'method.last_local': [
    'conflict',
    'the last local method cannot be removed or changed to another type: people sign in to the console with it',
  ],
  'method.local_secret': ['invalid', 'a local method has no secret'],
  'method.unknown': ['not-found', 'there is no authentication method {method}'],
  'method.without_password': ['not-found', 'this method does not accept passwords'],
  'method.wrong_config': ['invalid', '{key} {why}'],
  'page.cursor': ['invalid', 'is not a cursor of this list'],
  'page.cursor_of_order': ['invalid', 'is for the order {of}, but {order} was requested'],
  'page.limit': ['invalid', 'must be a whole number from 1 to {most}'],
  'page.other_order': [
    'invalid',
    'this page is for the order {of}, but {order} was requested: request {of}, or start at the first page',
  ],
  'page.rows': ['invalid', 'a page can have 1 to {most} rows'],
  'page.unknown': ['invalid', 'this page does not exist: start at the first page'],
  'person.address_of_other': ['conflict', '{email} is the address of another person'],
  'person.admitted': ['conflict', '{email} now has an account and is no longer pending'],
  'person.ambiguous': ['conflict', '{person} names several users: use the id of one of them ({ids})'],
  'person.decided': [
    'not-found',
    '{actor} has already decided ({decision, select, approved {approved} other {rejected}}, {at})',
  ],
  'person.disabled': ['conflict', '{email} is disabled'],
  'person.elsewhere': ['conflict', 'this person signs in with another method'],
  'person.exists': ['conflict', '{email} already exists'],
  'person.last_administrator': [
    'conflict',
    '{person} is the only administrator: appoint another administrator first',
  ],
  'person.not_waiting': ['not-found', '{id} is not pending: it expired or was never pending'],
  'person.only_invited': [
    'conflict',
    '{method} now accepts only invited people: reject the request, or invite {email}',
  ],
  'person.only_name': ['conflict', 'this person has no other name to sign in with'],
  'person.own_factors': ['forbidden', 'you cannot reset your own factors: remove them on your account page'],
  'person.proof_of_address': ['forbidden', 'only a mail or the configuration file can verify an address'],
  'person.roles_elsewhere': ['conflict', 'only people stored in Gatehouse can have roles'],
  'person.unknown': ['not-found', '{person} does not exist'],
  'person.unknown_id': ['not-found', 'this person does not exist'],
  'person.unknown_role': ['invalid', '{role} is not a role: the roles are {roles}'],
  'person.username_of_other': [
    'conflict',
    '{username} is already the username, id or subject of another user',
  ],
  'person.username_taken': ['conflict', '{username} already exists'],
  'right.ended': ['forbidden', '{actor} is no longer allowed to do this'],
  'right.fresh_sign_in': [
    'reauthenticate',
    'sign in again to continue: this requires a sign-in in the last 15 minutes',
  ],
  'right.person': ['forbidden', 'this requires a person who has just signed in, not a program'],
  'right.role': [
    'forbidden',
    '{actor} is not allowed to do this: {roles, select, administrator {the role administrator is} administrator_approver {the role administrator or approver is} administrator_developer {the role administrator or developer is} other {the role administrator, approver or developer is}} required',
  ],
  'right.scope': ['forbidden', 'the token has no scope {scope}'],
  'subscription.configuration': ['forbidden', 'only the configuration file can do this'],
  'subscription.decisions': ['invalid', 'the decision must be one of these: {decisions}'],
  'subscription.exists': [
    'conflict',
    'the subscription of {client} to {api} is already {state, select, pending {pending} approved {approved} rejected {rejected} suspended {suspended} other {revoked}}',
  ],
  'subscription.machine': ['invalid', '{why}'],
  'subscription.device': ['invalid', '{why}'],
  'subscription.many': ['invalid', 'specify 1 to {most} requests, each once'],
  'subscription.no_scope': ['invalid', 'approve at least one scope, or reject the request'],
  'subscription.no_terms': [
    'invalid',
    'only an approval can set scopes and terms (required claim, max_days, note)',
  ],
  'subscription.not_asked': ['invalid', '{scope} was not requested'],
  'question.unknown': ['not-found', 'this question does not exist'],
  'subscription.pair_unknown': ['not-found', 'there is no client {client} or no API {api}'],
  'subscription.profile': [
    'conflict',
    'the API {api} follows FAPI 2.0: it accepts only clients with private_key_jwt',
  ],
  'subscription.state': [
    'conflict',
    'the subscription of {client} to {api} is {state, select, pending {pending} approved {approved} rejected {rejected} suspended {suspended} other {revoked}}: it cannot be {wanted, select, approved {approved} rejected {rejected} suspended {suspended} resumed {resumed} other {revoked}}',
  ],
  'subscription.terms_by_approval': [
    'conflict',
    'the subscription of {client} to {api} is {state, select, pending {pending} approved {approved} rejected {rejected} suspended {suspended} other {revoked}}: its terms are set by an approval',
  ],
  'subscription.trust': ['invalid', '{why}'],
  'subscription.undo_late': [
    'conflict',
    'more than {limit} seconds have passed since the decision on the subscription of {client} to {api}',
  ],
  'subscription.undo_other': [
    'conflict',
    'the subscription of {client} to {api} has changed since then, or its last decision is not yours',
  ],
  'subscription.undo_used': [
    'conflict',
    '{client} has already used its approval at {api}: it received a code or a token',
  ],
  'subscription.unknown': ['not-found', 'there is no subscription of {client} to {api}'],
  'subscription.wrong_claim': ['invalid', 'required_claim.name {why}'],
  'version.stale': ['stale', 'another person changed {what} in the meantime'],
  'wish.no_reason': ['invalid', 'Give a reason: the requester has no other information.'],
  'wish.no_scope': ['invalid', 'Choose at least one scope.'],
  'wish.why_device': [
    'invalid',
    'Explain why the application needs to connect devices: the approver reads this.',
  ],
  'wish.why_machine': [
    'invalid',
    'Explain why the application needs tokens in its own name: the approver reads this.',
  ],
  'wish.why_trusted': ['invalid', 'Explain why the application should be trusted: the approver reads this.'],
} as const satisfies Record<string, readonly [kind: RefusedKind, text: string]>;

// Errors on the account pages of users. lib/language/messages contains their texts in every language.

export const OWN_ACCOUNT = {
  'address.change_gone': 'not-found',
  'address.code_digits': 'invalid',
  'address.code_wrong': 'invalid',
  'address.configured': 'conflict',
  'address.none': 'conflict',
  'address.none_to_verify': 'conflict',
  'address.same': 'invalid',
  'address.taken': 'conflict',
  'delegation.gone': 'not-found',
  'delegation.no_agent': 'not-found',
  'delegation.scopes': 'invalid',
  'delegation.too_many': 'conflict',
  'delegation.until_far': 'invalid',
  'delegation.until_past': 'invalid',
  'factor.app_exists': 'conflict',
  'factor.open_too_long': 'conflict',
  'factor.used_up': 'invalid',
  'factor.wrong_code_app': 'invalid',
  'own_account.consent_gone': 'not-found',
  'own_account.device_name': 'invalid',
  'own_account.gone': 'not-found',
  'own_account.link_gone': 'not-found',
  'own_account.session_gone': 'not-found',
  'own_account.signed_out': 'conflict',
  'own_account.too_many_mails': 'slow-down',
  'own_account.word': 'invalid',
  'password.no_method': 'conflict',
  'password.none': 'conflict',
  'password.same': 'invalid',
  'password.wrong': 'invalid',
  'register.not_an_address': 'invalid',
  'second_step.app_changed': 'conflict',
  'second_step.app_gone': 'not-found',
  'second_step.apps_full': 'conflict',
  'second_step.at_console': 'conflict',
  'second_step.browser_gone': 'not-found',
  'second_step.codes_alone': 'conflict',
  'second_step.due': 'conflict',
  'second_step.none': 'forbidden',
  'second_step.passkey_gone': 'not-found',
  'second_step.passkey_name': 'invalid',
  'factor.code_latin_digits': 'invalid',
  'factor.code_length': 'invalid',
  'factor.passkey_changed': 'invalid',
  'factor.passkey_not_accepted': 'invalid',
  'factor.passkey_not_added': 'conflict',
  'factor.passkey_slow': 'invalid',
  'passkey.full': 'conflict',
  'sign_in.too_many': 'slow-down',
  'link.at_console': 'forbidden',
  'link.gone': 'not-found',
  'link.has_password': 'conflict',
  'link.has_second_step': 'conflict',
  'link.in_use': 'conflict',
  'link.last': 'conflict',
  'link.other_name': 'conflict',
  'link.proof_old': 'conflict',
  'link.silent': 'conflict',
  'link.too_many': 'slow-down',
  'link.taken': 'conflict',
  'link.must_change': 'invalid',
  'link.wrong': 'invalid',
  'link.yours': 'conflict',
} as const satisfies Partial<Record<Key, RefusedKind>>;

// Codes of errors with their kinds, and with texts for the log, the command line and the management API.

type OperatorCode = keyof typeof FOR_OPERATORS;
/** Codes whose text contains the fault of a value. */
type WrongCode = {
  [Code in OperatorCode]: (typeof FOR_OPERATORS)[Code][1] extends `${string}{why}${string}` ? Code : never;
}[OperatorCode];
export type RefusedCode = OperatorCode | keyof typeof OWN_ACCOUNT;

type TextOf<Code extends RefusedCode> = Code extends OperatorCode
  ? (typeof FOR_OPERATORS)[Code][1]
  : Code extends keyof EnglishTexts
    ? EnglishTexts[Code]
    : never;

/** The values that the text of a code requires: one per argument. */
type ValuesOf<Code extends RefusedCode> = { [Name in Arguments<TextOf<Code>>]: string | number };
type Coded<Code extends RefusedCode> = [Arguments<TextOf<Code>>] extends [never]
  ? [code: Code, values?: Record<string, never>]
  : [code: Code, values: ValuesOf<Code>];

const isOperatorCode = (code: RefusedCode): code is OperatorCode => Object.hasOwn(FOR_OPERATORS, code);

export const kindOfRefusal = (code: RefusedCode): RefusedKind =>
  isOperatorCode(code) ? FOR_OPERATORS[code][0] : OWN_ACCOUNT[code];

/** The text of a code, in ICU MessageFormat. */
export const textOfRefusal = (code: RefusedCode): string =>
  isOperatorCode(code) ? FOR_OPERATORS[code][1] : englishOf(code);

/** Texts that pages translate. Instead of a text with `{why}`, pages translate the fault that it contains. */
export const OPERATOR_TEXTS: readonly string[] = Object.values(FOR_OPERATORS).flatMap(([, text]) =>
  text.includes('{why}') ? [] : [text],
);

export function englishOf(code: RefusedCode, values: MessageValues = {}): string {
  const message = { code, values };
  if (isMessage(message)) return wordsOf('en').told(message);
  if (!isOperatorCode(code)) return code;
  return inEnglish({ text: FOR_OPERATORS[code][1], values });
}

/** Creates the fault of a field from a code and its values. */
export function faultAt<Code extends Exclude<RefusedCode, WrongCode>>(
  field: string,
  ...[code, values]: Coded<Code>
): Fault {
  const text = textOfRefusal(code);
  return { field, code, message: englishOf(code, values), text, ...(values && { values }) };
}

/** Creates the fault of a field from the fault `why` of its value, which the text of the code contains. */
export function wrongAt(field: string, code: WrongCode, why: FaultText, more: MessageValues = {}): Fault {
  const message = englishOf(code, { ...more, why: why.message });
  return { field, code, message, ...(why.params ?? { text: why.message }) };
}

type More = {
  faults?: readonly Fault[];
  foreign?: boolean;
  retryAfterSeconds?: number;
};
type Refusal = { [Code in RefusedCode]: [...Coded<Code>, more?: More] }[RefusedCode];

export class Refused extends Error {
  override name = 'Refused';
  readonly code: RefusedCode;
  readonly values: MessageValues;
  readonly kind: RefusedKind;
  readonly faults: readonly Fault[];
  /** true: the object exists, but belongs to another person */
  readonly foreign: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(...[code, values = {}, more = {}]: Refusal) {
    super(englishOf(code, values));
    this.code = code;
    this.values = values;
    this.kind = kindOfRefusal(code);
    this.faults = more.faults ?? [];
    this.foreign = more.foreign ?? false;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

/** Error for invalid input, with the message of the first fault. */
export function faulty(faults: readonly Fault[]): Refused {
  return new Refused('input.faulty', { why: faults[0]?.message ?? '' }, { faults });
}

export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faulty(faults);
}

/** Error for a value that is already in use. */
export function valueTaken(
  field: string,
  code: 'api.id_taken' | 'group.id_taken' | 'method.id_taken',
  id: string,
): Refused {
  return new Refused(code, { id }, { faults: [faultAt(field, code, { id })] });
}

export function stale(what: string): Refused {
  return new Refused('version.stale', { what });
}

/** Throws `stale` if `expectedVersion`, the version that the caller saw, is set and differs from `current`. */
export function refuseStale(what: string, expectedVersion: number | undefined, current: number): void {
  if (expectedVersion !== undefined && expectedVersion !== current) throw stale(what);
}

/** Parses input according to its definition. Throws `Refused` with every fault. */
export function parseInput<Definition extends z.ZodType>(
  definition: Definition,
  input: unknown,
): z.output<Definition> {
  const parseResult = definition.safeParse(input, { reportInput: true });
  if (parseResult.success) return parseResult.data;
  throw faulty(faultsOf(parseResult.error));
}

/**
 * Text that a developer, or a user who decides, wrote for other users; `null`: none. Throws `Refused` if the text is
 * unreadable.
 */
export function writtenText(field: 'message' | 'reason', typedText: string | undefined): string | null {
  const read = longText.safeParse(typedText ?? '');
  if (read.success) return read.data || null;
  throw faulty(
    faultsOf(read.error, field)
      .slice(0, 1)
      .map((wrong) => ({ ...wrong, code: 'input.wrong_text', message: `${field} ${wrong.message}` })),
  );
}

/** Kinds of errors. The kind shows what the caller's code can do about an error. */
export type RefusedKind =
  /** invalid input; `faults` contains the fields */
  | 'invalid'
  | 'forbidden'
  /** the object is unknown, or belongs to another user */
  | 'not-found'
  /** the state of the object does not permit the operation */
  | 'conflict'
  /** the object was changed since it was displayed */
  | 'stale'
  /** the user must sign in again first */
  | 'reauthenticate'
  | 'slow-down';
