export { DrawingBusy, type DrawnLogo, drawLogo } from './draw.ts';
