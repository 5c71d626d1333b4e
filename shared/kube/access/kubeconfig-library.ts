/** The only parts of the libraries that Reroll uses. The static import lets the bundler drop a thousand API classes. */
export { KubeConfig } from '@kubernetes/client-node';
export { parseDocument } from 'yaml';
