export { pushedDeclaration } from './declaration.ts';
export { handlePush, pushRefusal } from './handler.ts';
export { type Pushed, pushedRequest, requireInTime } from './request-uri.ts';
