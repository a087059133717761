export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from '#app/_doors/door.ts';
export const dynamic = 'force-dynamic';
