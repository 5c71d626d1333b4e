import { writeFileSync } from 'node:fs';
import { manifestText } from './manifest-text';

writeFileSync('deploy/webhook.yaml', manifestText());
