import { render } from 'preact';
import { App } from './app';
import { takeToken } from './browser';
import { Client } from './client';

render(<App client={new Client(takeToken())} />, document.body);
