// The kinds of sign-in methods: one line each.
import { brokerKind } from './broker/index.ts';
import { externalKind } from './external/index.ts';
import type { MethodKind } from './kind.ts';
import { ldapKind } from './ldap/index.ts';
import { localKind } from './local/index.ts';

const KINDS = [localKind, externalKind, brokerKind, ldapKind] as const;

export type AuthMethodType = (typeof KINDS)[number]['type'];
type Kind = MethodKind<AuthMethodType>;
export const METHOD_KINDS: readonly [Kind, ...Kind[]] = KINDS;
