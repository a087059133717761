export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from '#app/_door.ts';
export const dynamic = 'force-dynamic';
