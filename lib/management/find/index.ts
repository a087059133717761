export { type FoundKind, type FoundThing, findAnything, isSecretText, MOST_FOUND } from './find.ts';
export { type InspectedToken, inspectToken } from './token-inspection.ts';
