export { askForAgent } from './ask.ts';
export { AgentRefused } from './client-refused.ts';
export { consentSince, isStranger, standingOf } from './client-subscription.ts';
export { refreshAgent } from './refresh.ts';
export { withAgent } from './resolve-client.ts';
