/**
 * The one piece of the library that is used, so that a bundle leaves out the rest: importing the whole of it by name at
 * run time would keep its thousand API classes.
 */
export { KubeConfig } from '@kubernetes/client-node';
