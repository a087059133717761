// `npm start`.
import './core-map.ts';

await import('./start.ts');
