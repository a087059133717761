export { askForAgent } from './ask.ts';
export { withAgent } from './known.ts';
export { refreshAgent } from './refresh.ts';
export { AgentRefused } from './refused.ts';
export { consentSince, isStranger, standingOf } from './standing.ts';
