import { buildPromtool } from './control-plane/promtool';
void buildPromtool({ print: (line) => console.log(line) });
