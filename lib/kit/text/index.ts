export { canonicalEmail, canonicalSearch, shownEmail } from './email-address.ts';
export { readableLine, type TextShape, unreadable } from './readable-text.ts';
export { edgeFault, type SecretKind, secretFault } from './secret-text.ts';
export { findUnstorable, requireStorable, UnstorableValue } from './storable.ts';
