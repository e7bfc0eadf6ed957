"""The look, in one place. Colours follow the theme: ``light-dark()`` picks by the page's colour scheme, lines and
grounds are mixed from the text's own colour. Every text colour keeps at least 4.5:1 against its ground (U8)."""

from __future__ import annotations

import streamlit as st

_CSS = """
<style>
:root {
  --pp-line: color-mix(in srgb, currentColor 18%, transparent);
  --pp-ground: color-mix(in srgb, currentColor 4%, transparent);
  --pp-panel: min(40vw, 560px);
  --pp-gold: light-dark(#8A6100, #E0B64A);
  --pp-green: light-dark(#1F6B43, #72C795);
  --pp-red: light-dark(#B3261E, #FF9A92);
  --pp-orange: light-dark(#9A4A00, #FFB068);
  --pp-yellow: light-dark(#7A5B00, #F0D060);
  --pp-blue: light-dark(#1A5FA8, #8FC2FF);
}
.stMainBlockContainer { padding-top: 3.25rem; padding-bottom: 3rem; max-width: 1180px; }
.stMainBlockContainer h1 { font-size: 1.5rem; margin: 0; padding: 0 0 .25rem; line-height: 1.25; letter-spacing: -.01em; }
.stMainBlockContainer h2 { font-size: 1.15rem; padding: .4rem 0 .2rem; }
.stMainBlockContainer h3 { font-size: 1rem; padding: .4rem 0 .1rem; }
[data-testid="stBottomBlockContainer"] { padding-top: .5rem; padding-bottom: 1.25rem; max-width: 1180px; }
[data-testid="stSidebarHeader"]::before { content: "PolicyPal"; font-weight: 700; font-size: 1.15rem; letter-spacing: -.01em; }
.st-key-conversations button { justify-content: flex-start; text-align: left; min-height: 2rem; padding: .15rem .5rem; }
.st-key-conversations button p { position: relative; padding-right: 3rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.st-key-conversations button p > span:last-child { position: absolute; right: 0; font-size: .78rem; font-variant-numeric: tabular-nums; }
.st-key-chat_head { flex-wrap: nowrap; }
.stMainBlockContainer h1.pp-title { padding: 0; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 2; overflow: hidden; }
.stMainBlockContainer h1.pp-goal-title { -webkit-line-clamp: 5; }
[class*="st-key-suggestion_"] button p { text-align: left; }
.st-key-conversations [data-testid="stVerticalBlock"] { gap: .15rem; }
.st-key-conversations button > div { justify-content: flex-start; width: 100%; }
.st-key-conversations button > div > span, .st-key-conversations button [data-testid="stMarkdownContainer"] { flex: 1; min-width: 0; }

.stHtml h2 { margin: .5rem 0 0; }
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p { color: light-dark(#4A5468, #B4C0CF); opacity: 1; }
[data-testid="stPopoverBody"] [data-testid="stCaptionContainer"], [data-testid="stPopoverBody"] [data-testid="stCaptionContainer"] p { color: inherit; opacity: .85; }
.stApp button[kind="tertiary"]:hover, .stApp button[kind="tertiary"][aria-expanded="true"] { color: light-dark(#0F5C6E, #7CC7DA); }
.stTabs [role="tab"][aria-selected="true"], .stTabs [role="tab"][aria-selected="true"] p { color: light-dark(#0F5C6E, #7CC7DA); }
.pp-muted { opacity: .74; font-size: .86rem; }
.pp-group { font-size: .74rem; letter-spacing: .05em; text-transform: uppercase; opacity: .74; margin: .5rem 0 .1rem; }
.pp-badge { display: inline-block; border: 1px solid var(--pp-line); border-radius: 999px; padding: .05rem .55rem;
  font-size: .8rem; line-height: 1.5; white-space: nowrap; background: var(--pp-ground); }
.pp-badge.pp-request { white-space: normal; overflow-wrap: anywhere; }
.pp-meta { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center; font-size: .82rem; }
.pp-meta .pp-muted { font-size: .82rem; }
.pp-red { color: var(--pp-red); } .pp-orange { color: var(--pp-orange); } .pp-yellow { color: var(--pp-yellow); }
.pp-blue { color: var(--pp-blue); } .pp-green { color: var(--pp-green); } .pp-gold { color: var(--pp-gold); }
.pp-badge.pp-red, .pp-badge.pp-orange, .pp-badge.pp-yellow, .pp-badge.pp-blue, .pp-badge.pp-green, .pp-badge.pp-gold {
  border-color: currentColor; font-weight: 600; background: color-mix(in srgb, currentColor 8%, transparent); }

.pp-answer { line-height: 1.6; overflow-wrap: anywhere; }
.pp-answer h2, .pp-answer h3, .pp-answer h4, .pp-answer h5 { margin: 1rem 0 .3rem; padding: 0; line-height: 1.3;
  font-weight: 650; }
.pp-answer h2 { font-size: 1.05rem; } .pp-answer h3 { font-size: 1rem; }
.pp-answer h4, .pp-answer h5 { font-size: .95rem; }
.pp-answer > :first-child { margin-top: 0; }
.pp-answer p { margin: 0 0 .6rem; }
.pp-answer ul, .pp-answer ol { margin: 0 0 .7rem; padding-left: 1.3rem; }
.pp-answer li { margin: .2rem 0; }
.pp-answer blockquote { margin: .4rem 0 .7rem; padding: .1rem 0 .1rem .8rem; border-left: 3px solid var(--pp-line); }
.pp-answer hr { border: 0; border-top: 1px solid var(--pp-line); margin: .8rem 0; }
.pp-answer pre { white-space: pre-wrap; background: var(--pp-ground); padding: .6rem; border-radius: 6px; }
.pp-scroll { overflow-x: auto; margin: 0 0 .8rem; }
.pp-answer table, .pp-table { border-collapse: collapse; width: 100%; font-size: .88rem; }
.pp-answer th, .pp-answer td, .pp-table th, .pp-table td { border-bottom: 1px solid var(--pp-line);
  padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; min-width: 6rem; }
.pp-table td, .pp-table th { min-width: 0; }
.pp-table .pp-number { text-align: right; white-space: nowrap; padding-right: 1rem; font-variant-numeric: tabular-nums; }
.pp-answer th, .pp-table th { font-weight: 650; }
.pp-table th[scope="row"] { white-space: nowrap; padding-right: 1rem; font-weight: 400; }

.pp-cite { position: relative; display: inline-block; cursor: pointer; font-size: .72rem; line-height: 1.35;
  vertical-align: .3em; padding: 0 .3rem; margin: 0 .08rem; border: 1px solid var(--pp-line); border-radius: 5px;
  background: var(--pp-ground); white-space: nowrap; }
a.pp-cite, a.pp-cite:hover { color: inherit !important; text-decoration: none !important; }
.pp-page { margin-left: .3rem; opacity: .72; font-variant-numeric: tabular-nums; }
.pp-cite:hover, .pp-cite:focus-visible { border-color: currentColor; outline: none; }
.pp-cite:focus-visible { outline: 2px solid var(--pp-blue); outline-offset: 1px; }
.pp-tip { visibility: hidden; opacity: 0; position: absolute; z-index: 99; left: 0; top: calc(100% + 4px);
  transform: translateX(var(--pp-shift, 0px)); width: max-content; max-width: min(24rem, 78vw); white-space: normal;
  text-align: left; padding: .55rem .7rem; border-radius: 8px; border: 1px solid var(--pp-line); font-size: .84rem;
  line-height: 1.45; background: light-dark(#FFFFFF, #16213A); box-shadow: 0 6px 24px rgb(0 0 0 / .22);
  transition: opacity .1s .12s, visibility .1s .12s; pointer-events: none; }
.pp-cite:hover .pp-tip, .pp-cite:focus-visible .pp-tip { visibility: visible; opacity: 1; }
.pp-tip b { display: block; } .pp-tip i { display: block; font-style: normal; opacity: .78; margin-bottom: .25rem; }
.stHtml:has(.pp-cite:hover), .stHtml:has(.pp-cite:focus) { overflow: visible; position: relative; z-index: 50; }
.stHtml:has(.pp-cite) { overflow: visible; }

.pp-copy { display: inline-flex; align-items: center; gap: .3rem; min-height: 2rem; padding: 0 .5rem; border: 0; border-radius: 6px;
  background: transparent; color: inherit; font: inherit; font-size: .82rem; opacity: .8; cursor: pointer; white-space: nowrap; }
.pp-copy:hover { background: var(--pp-ground); opacity: 1; }
.pp-copy:focus-visible { outline: 2px solid var(--pp-blue); outline-offset: 1px; opacity: 1; }
.pp-emoji { font-family: "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif; }
.pp-icon { font-family: "Material Symbols Rounded"; font-size: 1.1rem; line-height: 1; font-weight: 400; letter-spacing: normal; }

.pp-card { border: 1px solid var(--pp-line); border-radius: 8px; padding: .6rem .8rem; background: var(--pp-ground); }
.pp-card p { margin: .25rem 0; }
.pp-card.pp-open { border-color: var(--pp-blue); box-shadow: inset 3px 0 0 var(--pp-blue); }
.pp-quote { border-left: 3px solid var(--pp-line); padding-left: .6rem; margin: .25rem 0; overflow-wrap: anywhere;
  font-size: .9rem; line-height: 1.5; }
.pp-sides { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem 1rem; margin: .4rem 0; }
@media (max-width: 640px) { .pp-sides { grid-template-columns: 1fr; } }
.pp-side-title { font-size: .8rem; font-weight: 600; opacity: .82; }
.pp-finding-head, .pp-row-head { display: flex; flex-wrap: wrap; gap: .3rem .5rem; align-items: center; font-weight: 600; }
.pp-page-text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.6; font-size: .92rem; }
.pp-page-text mark, .pp-quote mark { background: light-dark(#FFE58A, #6B5600); color: inherit; padding: 0 .1em; border-radius: 2px; }

.stHtml .pp-steps { list-style: none; margin: 0; padding: 0; font-size: .9rem; }
.pp-steps li { padding: .1rem 0; opacity: .7; }
.pp-steps li.pp-now { opacity: 1; color: var(--pp-blue); font-weight: 600; animation: pp-breathe 1.4s ease-in-out infinite; }
@keyframes pp-breathe { 50% { opacity: .55; } }
@media (prefers-reduced-motion: reduce) { .pp-steps li.pp-now { animation: none; } }
.pp-pill { display: inline-block; border: 1px solid var(--pp-line); border-radius: 999px; padding: 0 .55rem; margin: .1rem .3rem .1rem 0;
  font-size: .8rem; font-weight: 400; }
.pp-note { font-size: .82rem; opacity: .78; border-left: 2px solid var(--pp-line); padding: .05rem 0 .05rem .6rem; }
.pp-notice { font-size: .88rem; border-left: 3px solid var(--pp-yellow); padding: .15rem 0 .15rem .6rem; margin: .2rem 0; }

.pp-doc { border-left: 4px solid var(--pp-accent, var(--pp-line)); padding: .1rem 0 .1rem .7rem; }
.pp-doc-title { font-weight: 600; overflow-wrap: anywhere; }
.pp-regulatory { --pp-accent: light-dark(#C99700, #E0B64A); } .pp-company { --pp-accent: light-dark(#2E8B57, #72C795); }
.pp-dot { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; margin-right: .45rem; vertical-align: -.05rem;
  background: var(--pp-dot, transparent); border: 1px solid var(--pp-line); }
.pp-set { font-weight: 650; font-size: 1rem; margin: .7rem 0 .1rem; }
[class*="st-key-docrow_"] { border-left: 4px solid var(--pp-accent, var(--pp-line)); border-bottom: 1px solid var(--pp-line);
  padding: .1rem .2rem .1rem .5rem; margin-top: -1rem; }
[data-testid="stHorizontalBlock"] > [class*="st-key-docrow_"] { margin-top: 0; }
[data-testid="stLayoutWrapper"]:has(> [data-testid="stHorizontalBlock"] > [class*="st-key-docrow_"]) { margin-top: -1rem; }
[class*="st-key-docrow_"]:hover, [class*="st-key-docrow_"]:focus-within { background: var(--pp-ground); }
[class*="st-key-docrow_regulatory"], [class*="st-key-docrow_older_regulatory"] { --pp-accent: light-dark(#C99700, #E0B64A); }
[class*="st-key-docrow_company"], [class*="st-key-docrow_older_company"] { --pp-accent: light-dark(#2E8B57, #72C795); }
[class*="st-key-docrow_older_"] { margin-left: 1.6rem; width: calc(100% - 1.6rem); }
[class*="st-key-docrow_"] button { min-height: 2.1rem; padding: .1rem .2rem; }
[class*="st-key-docrow_"] button :where(div, span:has(p)) { width: 100%; }
[class*="st-key-docrow_"] button p { display: flex; flex-wrap: wrap; align-items: center; column-gap: .8rem; width: 100%;
  font-weight: 600; text-align: left; overflow-wrap: anywhere; }
[class*="st-key-docrow_"] button p > span { margin-left: auto; font-weight: 400; color: light-dark(#4A5468, #B4C0CF); }
@media (max-width: 760px) { [class*="st-key-docrow_"] button p > span { margin-left: 0; width: 100%; } }
[class*="st-key-dochit_"] { padding: .1rem 0 .3rem 2.5rem; margin-top: -1rem; border-bottom: 1px solid var(--pp-line); }
[class*="st-key-dochit_"] button { min-height: 1.6rem; padding: 0 .2rem; white-space: nowrap; color: light-dark(#0B5A7A, #7CC7DA); }
.pp-hit { font-size: .86rem; line-height: 1.45; overflow-wrap: anywhere; }
.pp-hit mark { background: light-dark(#FFE58A, #6B5600); color: inherit; border-radius: 2px; }
[class*="st-key-docrow_"] button:hover p { color: light-dark(#0F5C6E, #7CC7DA); }
.st-key-bulk_bar { padding: .4rem .7rem; border: 1px solid var(--pp-line); border-radius: 8px;
  background: light-dark(#F2F5F8, #16213A); }
@media (min-width: 761px) { [data-testid="stLayoutWrapper"]:has(> .st-key-bulk_bar) { position: sticky; top: 3.5rem; z-index: 60; } }
.st-key-undo_bar { padding: .35rem .7rem; border: 1px solid var(--pp-line); border-left: 3px solid var(--pp-blue); border-radius: 8px; }
.pp-bar { display: flex; height: .55rem; border-radius: 4px; overflow: hidden; background: var(--pp-ground); margin: .2rem 0 .5rem; }
.pp-bar span { display: block; background: currentColor; }
.pp-bar .pp-red { color: #C62828; } .pp-bar .pp-orange { color: #E67817; } .pp-bar .pp-yellow { color: #E3B505; }
.pp-bar .pp-blue { color: #2F7FD1; }
.pp-badge.pp-orange { background: light-dark(#FFE6CF, #3F2400); } .pp-badge.pp-yellow { background: light-dark(#FFF3C4, #3A3000); }
.pp-progress { height: .35rem; border-radius: 3px; background: color-mix(in srgb, currentColor 14%, transparent); overflow: hidden; margin: .25rem 0 .1rem; }
.pp-progress span { display: block; height: 100%; background: var(--pp-blue); transition: width .4s; }
.pp-tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem; }
@media (max-width: 520px) { .pp-tiles { grid-template-columns: repeat(2, 1fr); } }
.pp-tile { border: 1px solid var(--pp-line); border-radius: 8px; padding: .45rem .7rem; background: var(--pp-ground); }
.pp-tile b { display: block; font-size: 1.35rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.pp-tile span { font-size: .82rem; }
.pp-plain { font-size: .9rem; line-height: 1.6; }
.pp-about { margin: .2rem 0 0; max-width: 46rem; font-size: .88rem; line-height: 1.5; color: light-dark(#4A5468, #B4C0CF); }
.st-key-delete_everything button { color: var(--pp-red); border-color: var(--pp-red); }
.pp-heat { max-height: 26rem; overflow: auto; border: 1px solid var(--pp-line); border-radius: 8px; padding: .4rem .6rem; }
.pp-heat table { border-collapse: collapse; width: 100%; font-size: .82rem; }
.pp-heat th { text-align: left; font-weight: 400; padding: .12rem .8rem .12rem 0; width: 38%; max-width: 0; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; vertical-align: top; }
.pp-heat th.pp-heat-title { font-weight: 650; padding-top: .4rem; max-width: none; }
.pp-heat td { padding: .12rem 0; }
.pp-heat-keys { display: flex; flex-wrap: wrap; gap: .2rem .9rem; margin: .8rem 0 .3rem; }
.pp-cell { display: inline-block; width: 1.15rem; height: 1.15rem; line-height: 1.1rem; margin: 0 2px 2px 0; border-radius: 3px;
  text-align: center; font-size: .72rem; font-weight: 700; border: 1px solid transparent; }
.pp-cell[role="button"] { cursor: pointer; }
.pp-cell[role="button"]:hover { border-color: currentColor; }
.pp-cell:focus-visible { outline: 2px solid var(--pp-blue); outline-offset: 1px; }
.pp-cell-covered { background: light-dark(#CDEBD9, #1F4A33); color: light-dark(#124A2D, #B9F0D0); }
.pp-cell-partial { background: light-dark(#FFF0B3, #4A3E0B); color: light-dark(#5C4600, #FFE9A0); }
.pp-cell-conflict { background: light-dark(#B3261E, #E5534A); color: light-dark(#FFFFFF, #1A0503); }
.pp-cell-gap { background: light-dark(#FFD2A8, #6B3A0B); color: light-dark(#5E2C00, #FFDDBB); }
.pp-room { height: var(--pp-room, 0px); }
.pp-hero { max-width: 46rem; margin: 3vh 0 0; }
.pp-hero h2 { font-size: 1.45rem; letter-spacing: -.015em; margin: 0 0 .4rem; padding: 0; }
.pp-hero p { margin: 0 0 .35rem; line-height: 1.55; }

.st-key-sources_panel { position: fixed; right: 0; top: 3.25rem; bottom: 0; width: var(--pp-panel); overflow-y: auto;
  padding: .8rem 1rem 1.5rem; border-left: 1px solid var(--pp-line); z-index: 1000; flex-wrap: nowrap;
  background: light-dark(#FFFFFF, #0B1322); }
.pp-panel-title { font-size: 1rem !important; margin: 0 !important; padding: 0 !important; overflow-wrap: anywhere; }
mark[data-pp-reveal], .pp-card[data-pp-reveal], .st-key-undo_bar [data-pp-reveal] { scroll-margin: 5rem 0 2rem; }
@media (min-width: 761px) { .st-key-page_text .pp-page-text { max-height: calc(100dvh - 6rem); overflow-y: auto; } }
.pp-page-text:focus-visible { outline: 2px solid var(--pp-blue); outline-offset: 4px; border-radius: 4px; }
[data-testid="stButtonGroup"] [data-selected="true"] :is(p, span), [data-testid="stButtonGroup"] [data-selected="true"] { color: light-dark(#0F5C6E, #7CC7DA); }
[data-testid="stChatMessage"] [data-testid="stExpander"] :is(summary, summary *) { opacity: 1; }
[data-testid="stChatMessage"] [data-testid="stExpander"] summary p { color: light-dark(#4A5468, #B4C0CF); }
.pp-card-head { display: flex; align-items: flex-start; justify-content: space-between; gap: .5rem; }
.pp-card-title { border: 0; padding: 0; background: none; color: inherit; font: inherit; font-weight: 600; text-align: left;
  cursor: pointer; overflow-wrap: anywhere; }
.pp-card-title:hover { text-decoration: underline; }
.pp-pin { border: 0; padding: .1rem .2rem; background: none; color: inherit; border-radius: 6px; cursor: pointer; line-height: 1; }
.pp-pin:hover { background: var(--pp-ground); }
.pp-pin[aria-pressed="true"] { color: var(--pp-blue); } .pp-pin[aria-pressed="true"] .pp-icon { font-variation-settings: "FILL" 1; }
.st-key-sources_panel .pp-card:not(.pp-open) .pp-quote { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.pp-why { font-size: .86rem; overflow-wrap: anywhere; } .pp-why b { font-weight: 600; margin-right: .2rem; }
.st-key-page_list { max-height: max(14rem, calc(100dvh - 20rem)); overflow-y: auto; flex-wrap: nowrap; }
.st-key-reader_toolbar [data-testid="stNumberInputStepDown"], .st-key-reader_toolbar [data-testid="stNumberInputStepUp"] { display: none; }
.pp-pages ol, .pp-hits { list-style: none; margin: 0; padding: 0; }
.pp-pages button, .pp-hits button { display: flex; gap: .5rem; align-items: baseline; width: 100%; min-height: 1.75rem; padding: .2rem .45rem;
  border: 0; border-radius: 6px; background: none; color: inherit; font: inherit; font-size: .86rem; text-align: left; cursor: pointer; }
.pp-pages button:hover, .pp-hits button:hover { background: var(--pp-ground); }
.pp-pages button[aria-current], .pp-hits button[aria-current] { background: color-mix(in srgb, var(--pp-blue) 14%, transparent); }
.pp-pages b { flex: 0 0 1.7rem; font-weight: 600; font-variant-numeric: tabular-nums; text-align: right; }
.pp-pages button > span { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pp-pages i { font-style: normal; font-size: .74rem; color: var(--pp-yellow); white-space: nowrap; }
.pp-hits b { flex: 0 0 4rem; font-weight: 600; white-space: nowrap; } .pp-hits span { min-width: 0; overflow-wrap: anywhere; line-height: 1.45; }
.pp-hits mark { background: light-dark(#FFE58A, #6B5600); color: inherit; border-radius: 2px; }
:is(.pp-card-title, .pp-pin, .pp-pages button, .pp-hits button):focus-visible { outline: 2px solid var(--pp-blue); outline-offset: 1px; }
h2.pp-group, h3.pp-group { font-weight: 400; line-height: 1.5; padding: 0; }
.stMainBlockContainer h2.pp-group, .stMainBlockContainer h3.pp-group { font-size: .74rem; padding: 0; margin: .3rem 0 0; }
.st-key-sources_panel img, .st-key-page_view img { border: 1px solid var(--pp-line); border-radius: 4px; background: #FFFFFF; }
[data-testid="stLayoutWrapper"]:has(> .st-key-clicks), [data-testid="stLayoutWrapper"]:has(> .st-key-session_cookie) { height: 0; min-height: 0; margin-top: -1rem; }
.pp-goal { white-space: pre-wrap; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; margin-bottom: .3rem; }
.st-key-research_examples button { min-height: 2.3rem; }
[class*="st-key-researchrow_"] { border-bottom: 1px solid var(--pp-line); padding: .1rem .2rem; margin-top: -1rem; row-gap: 0 !important; }
[class*="st-key-researchrow_"]:hover { background: var(--pp-ground); }
[class*="st-key-researchrow_"] button { min-height: 2.1rem; padding: .1rem .2rem; justify-content: flex-start; }
[class*="st-key-researchrow_"] button > div { justify-content: flex-start; width: 100%; }
[class*="st-key-researchrow_"] button > div > span, [class*="st-key-researchrow_"] button [data-testid="stMarkdownContainer"] { flex: 1; min-width: 0;
  text-align: left; }
[class*="st-key-researchrow_"] button p { width: 100%; text-align: left; font-weight: 600; overflow-wrap: anywhere; }
[class*="st-key-researchrow_"] .stElementContainer:has(button) { min-width: min(20rem, 100%); }
[class*="st-key-researchrow_1_"] { margin-left: 1.4rem; width: calc(100% - 1.4rem); }
[class*="st-key-researchrow_2_"] { margin-left: 2.8rem; width: calc(100% - 2.8rem); }
[class*="st-key-researchrow_3_"] { margin-left: 4.2rem; width: calc(100% - 4.2rem); }
[class*="st-key-researchrow_4_"] { margin-left: 5.6rem; width: calc(100% - 5.6rem); }
[class*="_current_"][class*="st-key-researchrow_"] { background: color-mix(in srgb, var(--pp-blue) 10%, transparent); }
[class*="_current_"][class*="st-key-researchrow_"] button p { color: var(--pp-blue); }
.stHtml .pp-stages { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .5rem; margin: .6rem 0; padding: 0; }
.stHtml .pp-stages li { display: flex; gap: .45rem; align-items: flex-start; border: 1px solid var(--pp-line); border-radius: 8px; padding: .5rem .6rem;
  margin: 0; background: var(--pp-ground); font-size: .88rem; line-height: 1.35; min-width: 0; }
.pp-stages .pp-icon { flex: none; } .pp-stages b { font-weight: 600; display: block; }
.pp-stage-words, .pp-stage-counts { display: block; font-size: .8rem; } .pp-stage-counts { font-variant-numeric: tabular-nums; }
.pp-stage-done .pp-icon { color: var(--pp-green); } .pp-stage-next { opacity: .74; }
.pp-stages li.pp-stage-now { border-color: var(--pp-blue); } .pp-stage-now .pp-icon { color: var(--pp-blue); animation: pp-turn 1.2s linear infinite; }
.pp-stages li.pp-stage-waiting { border-color: var(--pp-yellow); } .pp-stage-waiting .pp-icon { color: var(--pp-yellow); }
@keyframes pp-turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .pp-stage-now .pp-icon { animation: none; } }
@media (max-width: 760px) { .stHtml .pp-stages { grid-template-columns: 1fr; gap: .3rem; } .pp-stage-words, .pp-stage-counts, .pp-stages b { display: inline; }
  .pp-stage-counts::before { content: " · "; } }
.stHtml .pp-settled { list-style: none; margin: .2rem 0 .4rem; padding: 0; font-size: .9rem; }
.stHtml .pp-settled li { border-left: 2px solid var(--pp-green); padding: .1rem 0 .1rem .6rem; margin: .35rem 0; overflow-wrap: anywhere; }
.pp-settled li > span, .pp-settled li > b { display: block; } .pp-settled b { font-weight: 600; }
.pp-question { font-size: 1.05rem; font-weight: 600; }
.stHtml .pp-plan { margin: .2rem 0; padding: 0; font-size: .9rem; line-height: 1.5; overflow-wrap: anywhere; }
.pp-plan dt { font-size: .74rem; letter-spacing: .05em; text-transform: uppercase; opacity: .74; margin-top: .5rem; }
.stHtml .pp-plan dd { margin: 0; } .stHtml .pp-plan :is(ul, ol) { margin: 0; padding-left: 1.2rem; font-size: inherit; } .stHtml .pp-plan li { margin: 0; font-size: inherit; }
.st-key-planner_drawer { position: fixed; right: 0; top: 3.25rem; bottom: 0; width: var(--pp-panel); overflow-y: auto; flex-wrap: nowrap;
  padding: .9rem 1.1rem 1.5rem; border-left: 1px solid var(--pp-line); z-index: 900; background: light-dark(#FFFFFF, #0B1322); }
.st-key-planner_drawer button p { text-align: left; }
.st-key-planner_drawer button[kind="secondary"] > div { justify-content: flex-start; width: 100%; }
@media (max-width: 760px) { .st-key-planner_drawer { position: static; width: 100%; border: 1px solid var(--pp-line); border-radius: 8px; } }
.st-key-timeline_steps label p { font-size: .92rem; }
.st-key-timeline_steps [role="radiogroup"] { gap: .55rem; position: relative; }
[data-testid="stLayoutWrapper"]:has(> .st-key-rewrite_bar) { position: sticky; bottom: 0; z-index: 5; }
.st-key-rewrite_bar { padding: .5rem 0; border-top: 1px solid var(--pp-line); background: light-dark(#FFFFFF, #0B1322); }
.pp-tiles-wide { grid-template-columns: repeat(5, 1fr); } .pp-tiles-wide b { font-size: 1.1rem; }
@media (max-width: 760px) { .pp-tiles-wide { grid-template-columns: repeat(2, 1fr); } }
@media (max-width: 760px) {
  .stMainBlockContainer { padding-left: 1rem; padding-right: 1rem; }
  [data-testid="stBottomBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
}
</style>
"""

_ROOM_FOR_PANEL = """
<style>
@media (min-width: 761px) {
  .stMainBlockContainer, [data-testid="stBottomBlockContainer"] { padding-right: calc(var(--pp-panel) + 1.5rem); max-width: none; }
}
@media (max-width: 760px) { :root { --pp-panel: 100vw; } .st-key-sources_panel { border-left: 0; } }
</style>
"""


_ROOM_FOR_DRAWER = """
<style>
@media (min-width: 761px) { .stMainBlockContainer { padding-right: calc(var(--pp-panel) + 1.5rem); max-width: none; } }
</style>
"""

_SIGN_IN = """
<style>
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
.stMainBlockContainer { max-width: 1040px; padding-top: clamp(3rem, 13vh, 9rem); }
.pp-hero h1 { font-size: 2rem; margin: 0 0 .8rem; }
.pp-hero p { font-size: 1.05rem; margin: 0 0 .7rem; }
.st-key-sign_in_card { padding: 1.2rem 1.4rem 1rem; }
.st-key-sign_in_card button[kind="tertiary"] p { text-decoration: underline; text-underline-offset: 3px; }
.st-key-sign_in_card form, .st-key-sign_in_card [data-testid="stForm"] { padding: 0; }
@media (max-width: 640px) { .stMainBlockContainer { padding-top: 3rem; } .pp-hero h1 { font-size: 1.6rem; } }
</style>
"""
_NO_FILE_NAVIGATION = '<style>[data-testid="stSidebarNav"] { display: none; }</style>'


def apply() -> None:
    """Put the style sheet on the page; every page does."""
    st.html(_CSS)


def make_room_for_panel() -> None:
    """Move the chat aside while the sources panel is open."""
    st.html(_ROOM_FOR_PANEL)


def make_room_for_drawer() -> None:
    """Move the page aside while the planner's drawer is open; on a phone the drawer stands in the page."""
    st.html(_ROOM_FOR_DRAWER)


def hide_file_navigation() -> None:
    """Hide the list of script files that Streamlit shows where no navigation was defined."""
    st.html(_NO_FILE_NAVIGATION)


def for_sign_in() -> None:
    """One card in the middle, and no sidebar: there is nowhere to go yet."""
    st.html(_SIGN_IN)
